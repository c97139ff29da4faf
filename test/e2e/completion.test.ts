import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { shells, type Shell } from '../../src/cli/complete/split-line.ts'
import { fixture } from '../fixtures/fixture.ts'
import { bin, world, type Outcome } from './cli.ts'
import { completionPlace as place } from './completion-place.ts'
import { openShell } from './shell.ts'
import { startsIn, traced } from './traced-server.ts'

const odd = { command: process.execPath, args: [fileURLToPath(new URL('odd-names-server.ts', import.meta.url))] }
const userFile = '~/.config/capstan/mcp.json'

function valuesIn({ stdout }: Outcome): readonly string[] {
  return stdout
    .split('\n')
    .slice(2, -1)
    .map((line) => line.split('\t')[0] ?? '')
}

test.concurrent('Tab in a real bash completes a tool, its arguments and their values', async () => {
  await using home = await place()
  await using terminal = openShell('bash', home)

  expect(await terminal.wordsAfter('capstan call one.ch\tcol\tg\t')).toEqual([
    'capstan',
    'call',
    'one.choose',
    'colour=green',
  ])
})

describe('looking for candidates', () => {
  test.concurrent('starts no server and no daemon, and writes nothing', async () => {
    await using home = await world()
    const starts = join(home.home, 'starts')
    await home.write({ [userFile]: { mcpServers: { one: traced(starts) } } })

    const lines = ['', 'call ', 'call one.', 'inspect ', 'prompt one:greet who=', 'list ', 'read ']
    const outcomes = await Promise.all(
      lines.map((line) =>
        home.capstan(['completion', 'zsh', `--line=capstan ${line}`], { env: { CAPSTAN_DAEMON: 'on' } }),
      ),
    )

    expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual(lines.map(() => [0, '']))
    expect(startsIn(starts)).toBe(0)
    expect(existsSync(join(home.home, '.local'))).toBe(false)
    expect(existsSync(join(home.home, '.cache'))).toBe(false)
  })

  test.concurrent('a server that was never seen does not hide the tools of the others', async () => {
    await using home = await place()
    await home.write({ [userFile]: { mcpServers: { one: fixture('echo'), unseen: { command: 'not-there' } } } })

    expect(valuesIn(await home.ask('capstan call '))).toContain('one.echo')
    expect(valuesIn(await home.ask('capstan list '))).toEqual(['one', 'unseen'])
  })

  test.concurrent('servers come from the --config that has been typed', async () => {
    await using home = await place()
    await home.write({ 'other.json': { mcpServers: { other: { command: 'x' } } } })

    expect(valuesIn(await home.ask('capstan list --config other.json '))).toEqual(['other'])
    expect(valuesIn(await home.ask('capstan --config=other.json doctor '))).toEqual(['other'])
  })

  test.concurrent('servers of a project that wait for approval are named, and nothing of theirs is used', async () => {
    await using home = await place()
    await home.write({ '.mcp.json': { mcpServers: { fresh: fixture('echo') } } })

    expect(valuesIn(await home.ask('capstan review '))).toEqual(['fresh'])
    expect(valuesIn(await home.ask('capstan call fresh.'))).not.toContain('fresh.echo')
  })

  test.concurrent.each(['{ broken', '[]', '{"mcpServers": 3}'])(
    'a config that reads %s gives no candidates and no error',
    async (text) => {
      await using home = await place()
      await home.write({ [userFile]: text })

      expect(await home.ask('capstan list ')).toEqual({ code: 0, stdout: 'words\n\n', stderr: '' })
    },
  )

  test.concurrent('a folder that is gone gives no candidates and no error', async () => {
    await using home = await place()
    const line = 'rmdir "$PWD" && exec "$0" "$@"'
    await home.write({ 'gone/x': '' })
    await rm(join(home.cwd, 'gone/x'))
    const command = [process.execPath, bin, 'completion', 'zsh', '--line=capstan list ']

    const outcome = promisify(execFile)('sh', ['-c', line, ...command], { cwd: join(home.cwd, 'gone'), env: home.env })

    expect(await outcome).toEqual({ stdout: 'words\n\n', stderr: '' })
  })

  test.concurrent('--debug says why there are no candidates, and --json gives them as one value', async () => {
    await using home = await place()
    const { env } = home

    const debug = await home.capstan(['completion', 'bash', '--debug', '--line=capstan call no.such x'], { env })
    const json = await home.capstan(['completion', 'bash', '--json', '--line=capstan call one.choose colour=r'], {
      env,
    })

    expect(debug).toMatchObject({ code: 0, stderr: expect.stringContaining('no.such') })
    expect(JSON.parse(json.stdout)).toMatchObject({
      kind: 'words',
      prefix: 'colour=',
      candidates: [{ value: 'red' }, { value: 'green' }, { value: 'blue' }],
    })
  })
})

describe('values of prompt arguments', () => {
  test.concurrent('come from a server that the daemon runs already, and from no other', async () => {
    await using home = await place({ one: fixture('echo'), odd })
    const warm = { env: { ...home.env, CAPSTAN_DAEMON: 'on' } }
    const greet = (rest: string) => home.ask(`capstan prompt one:greet ${rest}`, warm)

    const before = await greet('who=a')
    await home.capstan(['list', '--all', '--fresh'], warm)
    try {
      expect(valuesIn(before)).toEqual([])
      expect(valuesIn(await greet('who=a'))).toEqual(['alice', 'albert'])
      expect(valuesIn(await greet('who=alice city='))).toEqual(['Aachen', 'Bonn'])
      expect(valuesIn(await home.ask('capstan prompt one:greet who=a'))).toEqual([])
      // This one never answers.
      expect(await home.ask('capstan prompt odd:wait for=', warm)).toEqual({
        code: 0,
        stdout: 'words\n\n',
        stderr: '',
      })
      await home.capstan(['stop'], warm)
      await home.capstan(['start'], warm)
      expect(valuesIn(await greet('who=a'))).toEqual([])
      expect((await home.capstan(['status', '--json'], warm)).stdout).not.toContain('"one"')
    } finally {
      await home.capstan(['stop'], warm)
    }
  })
})

describe('capstan completion', () => {
  test.concurrent.each(shells)('%s prints a script that says how it is installed', async (shell) => {
    await using home = await world()

    const { code, stdout, stderr } = await home.capstan(['completion', shell])

    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('# Install')
    expect(stdout).toContain(`capstan completion ${shell}`)
  })

  test.concurrent('refuses a shell that it does not know, with those it does', async () => {
    await using home = await world()
    const wrong: readonly (readonly string[])[] = [[], ['tcsh'], ['bash', 'zsh']]

    for (const args of wrong) {
      expect(await home.capstan(['completion', ...args])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('bash, zsh, fish' satisfies `${Shell}, ${Shell}, ${Shell}`),
      })
    }
  })
})
