import { PassThrough } from 'node:stream'
import type { Io } from '../../src/cli/command.ts'

export interface Person {
  readonly io: Io
  readonly stdin: PassThrough
  /** What was printed as a result. */
  readonly printed: () => string
  /** What was said besides: questions, warnings. */
  readonly said: () => string
}

export interface PersonOptions {
  readonly env?: Io['env']
  readonly cwd?: string
  readonly isAtTerminal?: boolean
  /** What the person types, before it is asked for. */
  readonly types?: string
}

/** Somebody in front of a command: their streams, environment and folder. */
export function person({ env = {}, cwd = '/', isAtTerminal = false, types = '' }: PersonOptions = {}): Person {
  const stdin = new PassThrough()
  let printed = ''
  let said = ''
  if (types !== '') stdin.write(types)
  const io: Io = {
    out: async (data) => {
      printed += typeof data === 'string' ? data : Buffer.from(data).toString()
    },
    err: (text) => {
      said += text
    },
    readStdin: () => Promise.resolve(''),
    stdin,
    env,
    cwd,
    stdoutIsTerminal: false,
    stderrIsTerminal: isAtTerminal,
    stdinIsTerminal: isAtTerminal,
    columns: 80,
  }
  return { io, stdin, printed: () => printed, said: () => said }
}
