import { oneToolOfEach, openGround, path, serverNames, type Ground } from './ground.ts'
import type { TimedProgram } from './measure.ts'
import type { PeerPrograms } from './peers/install.ts'
import { comparePrograms, timeRow, type Programs } from './programs.ts'
import type { Row } from './table.ts'

const message = 'hello world'
const script = 'raw JSON-RPC script'

/** Starts of the whole program without a daemon: help, one call, a list of ten servers. Each has had one run to fill the caches on disk. */
export async function benchCold(
  rounds: { readonly start: number; readonly call: number; readonly list: number },
  peers: PeerPrograms,
): Promise<readonly Row[]> {
  await using ground = openGround({ daemon: 'off' })
  return [
    ...(await benchStart(ground, peers, rounds.start)),
    ...(await benchCall(ground, peers, rounds.call)),
    ...(await benchList(ground, peers, rounds.list)),
  ]
}

async function benchStart(
  { env, program: capstan }: Ground,
  peers: PeerPrograms,
  rounds: number,
): Promise<readonly Row[]> {
  const help = (file: string): TimedProgram => ({ args: [file, '--help'], env, expected: [] })
  const besides = ofPeers(peers, {
    mcporter: (file) => ({ '`mcporter --help`': help(file) }),
    'mcp-hub': (file) => ({ '`mcp-hub --help`': help(file) }),
  })
  const programs = {
    '`node -e 0`': { args: ['-e', '0'], env, expected: [] },
    ours: { args: [capstan, '--help'], env, expected: ['capstan'] },
    ...besides,
  }
  const samples = await comparePrograms(programs, rounds)
  const work = 'start: `capstan --help`'
  return [
    timeRow(work, samples, { floor: '`node -e 0`', target: 1.5 }),
    ...Object.keys(besides).map((floor) => timeRow(work, samples, { floor })),
  ]
}

async function benchCall(
  { env, program: capstan, config }: Ground,
  peers: PeerPrograms,
  rounds: number,
): Promise<readonly Row[]> {
  const raw = [path('raw/call.mjs'), config, 'everything', 'echo', JSON.stringify({ message })]
  const ours = [capstan, 'call', 'everything.echo', `message=${message}`, '--config', config]
  const program = (args: readonly string[]): TimedProgram => ({ args, env, expected: [message] })
  const besides = ofPeers(peers, {
    mcporter: (file) => ({
      mcporter: program([file, '--config', config, 'call', 'everything.echo', `message=${message}`]),
    }),
    'mcp-inspector': (file) => ({ 'inspector --cli': program(inspectorCall(file, config)) }),
  })
  const samples = await comparePrograms({ [script]: program(raw), ours: program(ours), ...besides }, rounds)
  const work = 'cold call of echo, to the'
  return [
    timeRow(`${work} answer`, samples, { floor: script, target: 1.35, time: 'answerMs' }),
    timeRow(`${work} exit`, samples, { floor: script }),
    ...Object.keys(besides).map((floor) => timeRow(`${work} exit`, samples, { floor, target: 1 })),
  ]
}

function inspectorCall(file: string, config: string): readonly string[] {
  const which = ['--config', config, '--server', 'everything']
  return [file, '--cli', ...which, '--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', `message=${message}`]
}

async function benchList(
  { env, program: capstan, config }: Ground,
  peers: PeerPrograms,
  rounds: number,
): Promise<readonly Row[]> {
  const besides = ofPeers(peers, {
    mcporter: (file) => {
      const expected = [...serverNames.map((name) => `"name": "${name}"`), 'create_entities']
      return { mcporter: { args: [file, '--config', config, 'list', '--json'], env, expected } }
    },
  })
  const programs = {
    [script]: { args: [path('raw/list.mjs'), config], env, expected: oneToolOfEach },
    // What is on disk would answer without starting anything.
    ours: { args: [capstan, 'list', '--fresh', '--json', '--config', config], env, expected: oneToolOfEach },
    ...besides,
  }
  const samples = await comparePrograms(programs, rounds)
  const work = 'cold list of 10 servers, to the'
  return [
    timeRow(`${work} answer`, samples, { floor: script, target: 1.2, time: 'answerMs' }),
    timeRow(`${work} exit`, samples, { floor: script }),
    ...Object.keys(besides).map((floor) => timeRow(`${work} exit`, samples, { floor, target: 1 })),
  ]
}

/** The programs of those peers that are there. */
function ofPeers(peers: PeerPrograms, makers: Readonly<Record<string, (file: string) => Programs>>): Programs {
  const made = Object.entries(makers).map(([command, make]) => {
    const file = peers.get(command)
    return file === undefined ? {} : make(file)
  })
  return Object.assign({}, ...made) as Programs
}
