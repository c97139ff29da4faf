import type { Io } from '../command.ts'

type Screen = Pick<Io, 'env' | 'stdinIsTerminal' | 'stdoutIsTerminal'>

/** Why no session can be held on these streams; undefined where one can. */
export function whyNoSession(
  io: Screen,
  flags: { readonly json: boolean; readonly noInput: boolean },
): string | undefined {
  if (!io.stdinIsTerminal || !io.stdoutIsTerminal) return 'this is no terminal'
  if (flags.json) return '--json is given'
  if (flags.noInput) return '--no-input is given'
  if (isSet(io.env['CI'])) return 'CI is set'
  return io.env['TERM'] === 'dumb' ? 'the terminal can only print (TERM=dumb)' : undefined
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false'
}
