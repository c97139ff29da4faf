import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compare, ratioOf, timeProgram, type Samples, type TimedProgram } from './measure.ts'
import type { Row } from './table.ts'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const capstan = path('../dist/cli/bin.js')

/** Starts of the whole program: help, one call, a list of ten servers. Each has had one run to fill the caches on disk. */
export async function benchCold(rounds: {
  readonly start: number
  readonly call: number
  readonly list: number
}): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-bench-'))
  const env = { PATH: process.env['PATH'], HOME: folder }
  const config = join(folder, 'mcp.json')
  writeFileSync(config, JSON.stringify({ mcpServers: tenServers(folder) }))
  try {
    return [
      ...(await benchStart(env, rounds.start)),
      ...(await benchCall(env, config, rounds.call)),
      ...(await benchList(env, config, rounds.list)),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function tenServers(folder: string): Readonly<Record<string, object>> {
  const server = (kind: string, number: number, ...args: readonly string[]) => {
    const file = path(`../node_modules/@modelcontextprotocol/server-${kind}/dist/index.js`)
    const env = kind === 'memory' ? { MEMORY_FILE_PATH: join(folder, `memory-${number}.json`) } : {}
    return [`${kind}${number === 1 ? '' : number}`, { command: process.execPath, args: [file, ...args], env }] as const
  }
  return Object.fromEntries([
    ...[1, 2, 3, 4].map((number) => server('everything', number)),
    ...[1, 2, 3].map((number) => server('memory', number)),
    ...[1, 2, 3].map((number) => server('filesystem', number, folder)),
  ])
}

async function benchStart(env: NodeJS.ProcessEnv, rounds: number): Promise<readonly Row[]> {
  const samples = await comparePrograms(rounds, {
    floor: { args: ['-e', '0'], env, expected: [] },
    ours: { args: [capstan, '--help'], env, expected: ['capstan'] },
  })
  return [row({ work: 'start: `capstan --help`', floor: '`node -e 0`', target: 1.5 }, samples, 'exitMs')]
}

async function benchCall(env: NodeJS.ProcessEnv, config: string, rounds: number): Promise<readonly Row[]> {
  const call = ['call', 'everything.echo', 'message=hello world', '--config', config]
  const expected = ['hello world']
  const samples = await comparePrograms(rounds, {
    floor: { args: [path('raw/call.mjs'), config, 'everything', 'echo', '{"message":"hello world"}'], env, expected },
    ours: { args: [capstan, ...call], env, expected },
  })
  const floor = 'raw JSON-RPC script'
  return [
    row({ work: 'cold call of echo, to the answer', floor, target: 1.35 }, samples, 'answerMs'),
    row({ work: 'cold call of echo, to the exit', floor }, samples, 'exitMs'),
  ]
}

async function benchList(env: NodeJS.ProcessEnv, config: string, rounds: number): Promise<readonly Row[]> {
  // One tool of each server by its full name: a list that lacks a server must not pass for a fast one.
  const numbers = ['', '2', '3']
  const expected = [
    ...[...numbers, '4'].map((number) => `everything${number}.echo`),
    ...numbers.flatMap((number) => [`memory${number}.create_entities`, `filesystem${number}.directory_tree`]),
  ]
  const samples = await comparePrograms(rounds, {
    floor: { args: [path('raw/list.mjs'), config], env, expected },
    ours: { args: [capstan, 'list', '--json', '--config', config], env, expected },
  })
  const floor = 'raw JSON-RPC script'
  return [
    row({ work: 'cold list of 10 servers, to the answer', floor, target: 1.2 }, samples, 'answerMs'),
    row({ work: 'cold list of 10 servers, to the exit', floor }, samples, 'exitMs'),
  ]
}

function comparePrograms(
  rounds: number,
  programs: { readonly floor: TimedProgram; readonly ours: TimedProgram },
): Promise<Samples> {
  const contestant = (name: 'floor' | 'ours') => ({
    name,
    run: async () => ({ ...(await timeProgram(programs[name])) }),
  })
  return compare([contestant('floor'), contestant('ours')], rounds)
}

function row(text: Pick<Row, 'work' | 'floor' | 'target'>, samples: Samples, time: 'answerMs' | 'exitMs'): Row {
  return { ...text, unit: 'ms', ...ratioOf(samples, { floor: 'floor', ours: 'ours' }, time) }
}
