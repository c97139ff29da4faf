import { execFileSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { stripVTControlCharacters } from 'node:util'
import { bin, type Outcome, type RunOptions, type World } from './cli.ts'
import type { Shell } from '../../src/cli/complete/split-line.ts'

/** Whether the shell is installed here. */
export function hasShell(name: Shell): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A home in which shells find `capstan` on their PATH. */
export interface ShellWorld extends World {
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Outcome>
  /** What the words on the line are after these keys, as the shell itself reads them. */
  readonly wordsAfter: (shell: Shell, keys: string, options?: ShellOptions) => Promise<readonly string[]>
  /** What the terminal shows after these keys, up to the given text. */
  readonly screenAfter: (shell: Shell, keys: string, until: string) => Promise<string>
}

interface ShellOptions {
  readonly env?: Readonly<Record<string, string>>
  /** A command before the keys. */
  readonly setup?: string
}

export async function shellWorld(home: World): Promise<ShellWorld> {
  const folder = join(home.home, 'bin')
  const program = join(folder, 'capstan')
  await mkdir(folder)
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  await chmod(program, 0o755)
  const PATH = `${folder}${delimiter}${process.env['PATH'] ?? ''}`
  const open = (shell: Shell, env: Readonly<Record<string, string>> = {}) =>
    openShell(shell, { cwd: home.cwd, env: { PATH, HOME: home.home, CAPSTAN_DAEMON: 'off', ...env } })

  return {
    ...home,
    run: (args, options = {}) => home.capstan(args, { ...options, env: { PATH, ...options.env } }),
    async wordsAfter(shell, keys, { env, setup = 'true' } = {}) {
      await using terminal = open(shell, env)
      terminal.type(`${setup}\r`)
      // Control-A goes to the start of the line: what is printed are the words that the shell would have run.
      terminal.type(`${keys}\u0001printf '<%s>\\n' \u0005 END-OF-LINE\r`)
      const screen = await terminal.shows('<END-OF-LINE>')
      const words = Array.from(screen.matchAll(/^<(.*)>$/gm), ([, word]) => word ?? '')
      return words.slice(0, -1)
    },
    async screenAfter(shell, keys, until) {
      await using terminal = open(shell)
      terminal.type(keys)
      return terminal.shows(until)
    },
  }
}

interface OpenShell extends AsyncDisposable {
  readonly type: (keys: string) => void
  /** Resolves to all that was shown, as plain text, when the text has appeared. */
  readonly shows: (text: string) => Promise<string>
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

function openShell(
  shell: Shell,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): OpenShell {
  const { args, setup } = startOf[shell]
  const program = spawn(shell, [...args], { cols: 200, rows: 60, cwd, env: { ...env, TERM: 'xterm-256color' } })
  const waiting = new Set<() => void>()
  let bytes = ''
  let isOver = false
  const look = () => waiting.forEach((again) => again())
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
    type: (keys) => program.write(keys),
    shows: (text) =>
      new Promise((resolve, reject) => {
        const again = (): void => {
          const screen = stripVTControlCharacters(bytes).replaceAll('\r', '')
          if (!screen.includes(text) && !isOver) return
          waiting.delete(again)
          if (screen.includes(text)) resolve(screen)
          else reject(new Error(`${shell} never showed ${JSON.stringify(text)}, but:\n${bytes}`))
        }
        waiting.add(again)
        again()
      }),
    async [Symbol.asyncDispose]() {
      if (!isOver) program.kill('SIGKILL')
      await ended
    },
  }
}
