import { execFileSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import type { Shell } from '../../src/cli/complete/split-line.ts'
import { bin, type World } from './cli.ts'

/** Whether the shell is installed here. */
export function hasShell(name: Shell): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The environment of a person in whose shell `capstan` is a command. */
export async function shellEnvironment({ home }: World): Promise<Readonly<Record<string, string>>> {
  const folder = join(home, 'bin')
  const program = join(folder, 'capstan')
  await mkdir(folder)
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  await chmod(program, 0o755)
  const PATH = `${folder}${delimiter}${process.env['PATH'] ?? ''}`
  return { PATH, HOME: home, CAPSTAN_DAEMON: 'off', LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' }
}

/** A shell on a terminal, with completion set up. Disposing it ends the shell. */
export interface OpenShell extends AsyncDisposable {
  /** Runs a command line. */
  readonly run: (line: string) => void
  /** The words on the line after these keys, as the shell itself reads them. */
  readonly wordsAfter: (keys: string) => Promise<readonly string[]>
  /** What the terminal shows after these keys, when all the texts have appeared. */
  readonly screenAfter: (keys: string, texts: readonly string[]) => Promise<string>
}

export interface ShellOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export function openShell(shell: Shell, options: ShellOptions): OpenShell {
  const { args, setup } = startOf[shell]
  const program = spawn(shell, [...args], { cols: 200, rows: 60, ...options })
  const waiting = new Set<() => void>()
  const look = () => waiting.forEach((again) => again())
  let bytes = ''
  let isOver = false
  let lines = 0
  program.onData((text) => {
    bytes += text
    look()
  })
  const ended = new Promise<void>((resolve) => {
    program.onExit(() => {
      isOver = true
      look()
      resolve()
    })
  })
  program.write(`${setup}\r`)

  return {
    run: (line) => program.write(`${line}\r`),
    async wordsAfter(keys) {
      const [start, end] = [`<start-${++lines}>`, `<end-${lines}>`]
      // Control-A and Control-E go to the ends of the line: the words are printed instead of run.
      program.write(`${keys}\u0001printf '<%s>\\n' start-${lines} \u0005 end-${lines}\r`)
      const screen = await shows(end)
      const printed = screen.slice(screen.indexOf(start) + start.length, screen.indexOf(end))
      return Array.from(printed.matchAll(/^<(.*)>$/gm), ([, word]) => word ?? '')
    },
    async screenAfter(keys, texts) {
      program.write(keys)
      return (await Promise.all(texts.map(shows))).at(-1) ?? ''
    },
    async [Symbol.asyncDispose]() {
      if (!isOver) program.kill('SIGKILL')
      await ended
    },
  }

  function shows(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const again = (): void => {
        const screen = stripVTControlCharacters(bytes).replaceAll('\r', '')
        const isThere = screen.includes(text)
        if (!isThere && !isOver) return
        waiting.delete(again)
        if (isThere) resolve(screen)
        else reject(new Error(`${shell} never showed ${JSON.stringify(text)}, but:\n${bytes}`))
      }
      waiting.add(again)
      again()
    })
  }
}

/** Arguments that keep the person's own files out, and the line that sets completion up. */
const startOf: Readonly<Record<Shell, { readonly args: readonly string[]; readonly setup: string }>> = {
  bash: { args: ['--noprofile', '--norc', '-i'], setup: 'eval "$(capstan completion bash)"' },
  zsh: {
    args: ['-f', '-i'],
    setup: 'bindkey -e; autoload -Uz compinit && compinit -D -u; eval "$(capstan completion zsh)"',
  },
  fish: { args: ['--no-config', '-i'], setup: 'capstan completion fish | source' },
}
