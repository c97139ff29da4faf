import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { line } from './interleaved.ts'
import { play } from './play.ts'
import { shellCommand, type Stage } from './stage.ts'

const readingMs = 4000

export function hasPanes(): boolean {
  const hasTerminal = process.stdin.isTTY && process.stdout.isTTY
  return hasTerminal && spawnSync('tmux', ['-V']).status === 0
}

/** Shows the agents in one pane of tmux and `capstan calls -f` in another, and leaves what was said on the terminal. */
export async function inPanes(stage: Stage, signal: AbortSignal): Promise<void> {
  const said = join(stage.home, 'said.txt')
  writeFileSync(said, '')
  // A server of its own, without the person's settings; TMUX would make it refuse to run inside another one.
  const tmux = ['-S', join(stage.home, 'tmux.sock'), '-f', '/dev/null']
  const panes = ['new-session', `tail -f '${said}'`, ';', 'split-window', '-v', shellCommand('calls', '-f')]
  const env = { ...stage.env, TERM: process.env['TERM'] ?? 'xterm', LANG: process.env['LANG'] ?? 'C.UTF-8' }
  const screen = spawn('tmux', [...tmux, ...panes], { cwd: stage.home, env, stdio: 'inherit' })
  const closed = once(screen, 'exit')
  try {
    await play(stage, { say: (who, text) => appendFileSync(said, line(who, text)), signal })
    await Promise.race([closed, wait(readingMs, undefined, { signal })])
  } finally {
    spawnSync('tmux', [...tmux, 'kill-server'])
    await closed
    process.stdout.write(await readFile(said, 'utf8'))
  }
}
