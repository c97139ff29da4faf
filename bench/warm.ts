import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { oneToolOfEach, openGround, path, serverNames, type Ground } from './ground.ts'
import { openWarmPeers, type WarmPeers } from './peers/warm-peers.ts'
import type { PeerPrograms } from './peers/install.ts'
import { comparePrograms, timeRow } from './programs.ts'
import type { Row } from './table.ts'

const message = 'hello world'
const node = '`node -e 0`'
const socket = 'node + one line over a socket'

/** What a person waits for once the daemon runs and the lists are on disk. Always to the exit: only then the prompt is back. */
export async function benchWarm(
  rounds: { readonly warmCall: number; readonly warmList: number },
  peers: PeerPrograms,
): Promise<readonly Row[]> {
  await using ground = openGround({ daemon: 'on' })
  await using stub = await startStub(ground)
  await ground.capstan('list', '--fresh', '--json', '--config', ground.config)
  await using warm = await openWarmPeers(peers, ground)
  return [
    ...(await benchCall({ ground, warm, socketPath: stub.socketPath }, rounds.warmCall)),
    ...(await benchList({ ground, warm }, rounds.warmList)),
  ]
}

/** Programs that each start Node, speak to somebody who is there already, and end. */
async function benchCall(
  { ground, warm, socketPath }: { readonly ground: Ground; readonly warm: WarmPeers; readonly socketPath: string },
  rounds: number,
): Promise<readonly Row[]> {
  const { env, program: capstan, config } = ground
  const code = `return await tools.everything.echo({ message: ${JSON.stringify(message)} })`
  const expected = [message]
  const programs = {
    [node]: { args: ['-e', '0'], env, expected: [] },
    [socket]: { args: [path('raw/socket-call.mjs'), socketPath], env, expected },
    ours: { args: [capstan, 'call', 'everything.echo', `message=${message}`, '--config', config], env, expected },
    exec: { args: [capstan, 'exec', '-e', code, '--config', config], env, expected },
    ...warm.call,
  }
  const samples = await comparePrograms(programs, rounds)
  return [
    timeRow('warm call of echo', samples, { floor: socket, target: 1.3 }),
    timeRow('warm call of echo', samples, { floor: node }),
    ...Object.keys(warm.call).map((floor) => timeRow('warm call of echo', samples, { floor, target: 1 })),
    {
      ...timeRow('warm exec with one call', samples, { floor: 'ours', ours: 'exec', target: 1.3 }),
      floor: 'warm call',
    },
  ]
}

async function benchList(
  { ground, warm }: { readonly ground: Ground; readonly warm: WarmPeers },
  rounds: number,
): Promise<readonly Row[]> {
  const { env, program: capstan, config } = ground
  const programs = {
    [node]: { args: ['-e', '0'], env, expected: [] },
    ours: { args: [capstan, 'list', '--config', config], env, expected: serverNames },
    json: { args: [capstan, 'list', '--json', '--config', config], env, expected: oneToolOfEach },
    ...warm.list,
  }
  const samples = await comparePrograms(programs, rounds)
  const work = 'list of 10 servers from disk'
  return [
    timeRow(work, samples, { floor: node, target: 2 }),
    timeRow(`${work}, \`--json\``, samples, { floor: node, ours: 'json', target: 2 }),
    ...Object.keys(warm.list).map((floor) =>
      timeRow(`${work}, \`--json\``, samples, { floor, ours: 'json', target: 1 }),
    ),
  ]
}

/** In a process of its own, as a daemon is: the floor pays for the way there and back. */
async function startStub({ folder, env }: Ground): Promise<AsyncDisposable & { readonly socketPath: string }> {
  const socketPath = join(folder, 'stub.sock')
  const child = spawn(process.execPath, [path('raw/socket-stub.mjs'), socketPath], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error('The stub ended at its start.'))),
  ])
  return {
    socketPath,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}
