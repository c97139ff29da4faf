import { setTimeout as wait } from 'node:timers/promises'
import { openAgent, type Agent, type Say } from './agent.ts'
import type { Stage } from './stage.ts'

/** What is called at the very end, as `capstan calls` has it. */
export const lastTool = 'everything.echo'

/** Two agents of two eras work through one hub; a server is killed under one of them, and comes back. */
export async function play(stage: Stage, { say, signal }: PlayOptions): Promise<void> {
  const url = await serve(stage, signal)
  say('hub', `capstan serve --http listens at ${url.href}`)
  const agent = { url, say, signal }
  await using ada = await openAgent({ ...agent, name: 'ada', protocol: '2026-07-28', token: stage.tokens.ada })
  await using ben = await openAgent({ ...agent, name: 'ben', protocol: '2025-11-25', token: stage.tokens.ben })
  await shareMemory(ada, ben)
  await killUnderCall(stage, { ada, ben, say })
  await ada.call('everything__get-sum', { a: 2, b: 40 })
  await ben.call('everything__echo', { message: 'still here' })
}

interface PlayOptions {
  readonly say: Say
  readonly signal: AbortSignal
}

/** Its address, when it listens. */
function serve(stage: Stage, signal: AbortSignal): Promise<URL> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    stage.start(['serve', '--http', '0'], (line) => resolve(new URL(line)))
  })
}

async function shareMemory(ada: Agent, ben: Agent): Promise<void> {
  const entity = { name: 'Windlass', entityType: 'ship', observations: ['leaves on Tuesday'] }
  await ada.call('memory__create_entities', { entities: [entity] })
  await ben.call('memory__search_nodes', { query: 'Tuesday' })
}

interface Cast {
  readonly ada: Agent
  readonly ben: Agent
  readonly say: Say
}

async function killUnderCall(stage: Stage, { ada, ben, say }: Cast): Promise<void> {
  const before = await stage.serverPid('everything')
  if (before === undefined) throw new Error('The server "everything" does not run: nothing to kill.')
  const underWay = Promise.withResolvers<void>()
  const args = { duration: 3, steps: 6 }
  say('ben', 'calls everything__trigger-long-running-operation, which takes 3 s')
  const working = ben.call('everything__trigger-long-running-operation', args, { onprogress: underWay.resolve })
  await Promise.race([underWay.promise, working])
  say('kill', `kill -9 ${before}, the process of "everything", in the middle of that call`)
  process.kill(before, 'SIGKILL')
  const isOver = working.then(() => true)
  do await ada.call('memory__open_nodes', { names: ['Windlass'] })
  while (!(await Promise.race([isOver, wait(1000, false)])))
  say('hub', `"everything" is process ${String(await stage.serverPid('everything'))} now, no longer ${before}`)
}
