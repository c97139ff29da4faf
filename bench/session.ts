import { spawn } from '@lydell/node-pty'
import { openGround } from './ground.ts'
import { compare, ratioOf } from './measure.ts'
import type { Row } from './table.ts'

const floor = '`node -e 0`'

/** How long a person waits for the editor, with the daemon at work. Both programs run on a terminal of their own. */
export async function benchSession(rounds: number): Promise<readonly Row[]> {
  await using ground = openGround({ daemon: 'on' })
  await ground.capstan('list', '--fresh', '--json', '--config', ground.config)
  const { env, folder: cwd } = ground
  const run = async (args: readonly string[], shown: string | undefined) => ({
    first: await timeUntil({ args, cwd, env: { ...env, TERM: 'xterm-256color' } }, shown),
  })
  const samples = await compare(
    [
      { name: floor, run: () => run(['-e', '0'], undefined) },
      { name: 'ours', run: () => run([ground.program, 'chat', '--config', ground.config], '────') },
    ],
    rounds,
  )
  return [
    {
      work: 'first frame of a session',
      floor,
      unit: 'ms',
      target: 5,
      ...ratioOf(samples, { floor, ours: 'ours' }, 'first'),
    },
  ]
}

interface Program {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Milliseconds until the program has shown the text, or ended. */
async function timeUntil({ args, cwd, env }: Program, shown: string | undefined): Promise<number> {
  const startedAtMs = performance.now()
  const program = spawn(process.execPath, [...args], { cols: 80, rows: 24, cwd, env })
  let bytes = ''
  let seenAtMs: number | undefined
  program.onData((data) => {
    bytes += data
    if (seenAtMs !== undefined || shown === undefined || !bytes.includes(shown)) return
    seenAtMs = performance.now()
    program.kill('SIGTERM')
  })
  await new Promise<void>((resolve) => program.onExit(() => resolve()))
  if (shown !== undefined && seenAtMs === undefined) throw new Error(`Never shown: ${shown}\n${bytes}`)
  return (seenAtMs ?? performance.now()) - startedAtMs
}
