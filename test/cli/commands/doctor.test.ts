import { expect, test } from 'vitest'
import { command as doctor } from '../../../src/cli/commands/doctor.ts'
import { command as inspect } from '../../../src/cli/commands/inspect.ts'
import { command as list } from '../../../src/cli/commands/list.ts'
import { command as overview } from '../../../src/cli/commands/overview.ts'
import { inlineConfig } from '../../../src/config/load.ts'
import type { Config, RawEntry } from '../../../src/config/types.ts'
import { CapstanError } from '../../../src/errors.ts'
import { openHub } from '../../../src/hub/hub.ts'
import { tempFolder } from '../../config/temp-folder.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { record, type Recorded, type Setting } from '../recorded-context.ts'

type Verb = (setting: Omit<Setting, 'hub' | 'config'>) => Promise<Recorded>

/** A command over servers that really run, in a home of its own. */
async function withServers(
  servers: Readonly<Record<string, RawEntry>>,
  run: (verbs: Record<'doctor' | 'inspect' | 'list' | 'overview', Verb>, config: Config) => Promise<void>,
): Promise<void> {
  await using home = await tempFolder()
  const env = { PATH: process.env['PATH'], HOME: home.path }
  const config = inlineConfig(servers, { env, cwd: home.path })
  await using hub = await openHub(config)
  const over =
    (command: typeof doctor): Verb =>
    (setting) =>
      record(command, { hub, config, io: { env, cwd: home.path }, ...setting })
  await run({ doctor: over(doctor), inspect: over(inspect), list: over(list), overview: over(overview) }, config)
}

test('when all is well it says so for each server, with exit code 0', async () => {
  await withServers({ good: { ...fixture('echo') } }, async (verbs) => {
    const { code, out } = await verbs.doctor({})

    expect(out).toContain('✓ good')
    expect(out).toContain(process.execPath)
    expect(out).toMatch(/protocol +(legacy|modern), \d{4}-/)
    expect(out).toContain('All well: 1 server.')
    expect(code).toBe(0)
  })
})

test('each kind of broken server is found beside the good one, with what mends it', async () => {
  const servers = {
    absent: { command: 'no-such-program-anywhere' },
    ends: { ...fixture('exits-at-start') },
    good: { ...fixture('echo') },
    invalid: { command: 'x', args: 'not a list' },
    needy: { command: 'node', env: { KEY: '${CAPSTAN_TEST_NO_SUCH_VARIABLE}' } },
    noisy: { ...fixture('noise') },
    refused: { url: 'http://127.0.0.1:1/mcp' },
  }

  await withServers(servers, async (verbs) => {
    const { code, out } = await verbs.doctor({ flags: { json: true } })

    const { ok, servers: reports } = JSON.parse(out) as {
      ok: boolean
      servers: { name: string; findings: unknown; stderrTail: string[] }[]
    }
    const found = Object.fromEntries(reports.map((report) => [report.name, report]))
    expect(code).toBe(1)
    expect(ok).toBe(false)
    expect(found['absent']?.findings).toMatchObject([
      { level: 'problem', mend: expect.stringContaining('Install "no-such-program-anywhere"') },
    ])
    expect(found['ends']?.findings).toMatchObject([{ mend: expect.stringContaining('Run it by hand') }])
    expect(found['ends']?.stderrTail.length).toBeGreaterThan(0)
    expect(found['good']?.findings).toEqual([])
    expect(found['invalid']?.findings).toMatchObject([{ what: expect.stringContaining('args') }])
    expect(found['needy']?.findings).toMatchObject([{ what: expect.stringContaining('CAPSTAN_TEST_NO_SUCH_VARIABLE') }])
    expect(found['noisy']?.findings).toMatchObject([{ level: 'note', what: expect.stringContaining('stdout') }])
    expect(found['refused']?.findings).toMatchObject([{ what: expect.stringContaining('127.0.0.1') }])
  })
})

test('only the named servers are checked, and a typo gets the closest', async () => {
  await withServers({ one: { ...fixture('echo') }, two: { command: 'no-such-program-anywhere' } }, async (verbs) => {
    expect((await verbs.doctor({ positionals: ['one'] })).code).toBe(0)
    await expect(verbs.doctor({ positionals: ['oen'] })).rejects.toMatchObject({ code: 'server_unknown' })
  })
})

test('a config that cannot be read is a finding, not the end', async () => {
  const problem = new CapstanError('config_invalid', 'mcp.json:3:1: a comma is missing', { next: 'Correct the file.' })
  await using home = await tempFolder()
  const broken = {
    ...doctor,
    run: (context: Parameters<typeof doctor.run>[0], input: Parameters<typeof doctor.run>[1]) =>
      doctor.run({ ...context, loadConfig: () => Promise.reject(problem) }, input),
  }

  const { code, out } = await record(broken, { io: { env: { HOME: home.path } } })

  expect(code).toBe(1)
  expect(out).toContain('mcp.json:3:1: a comma is missing')
})

test('list, inspect and the overview work over servers that really run', async () => {
  await withServers({ echo: { ...fixture('echo') }, ends: { ...fixture('exits-at-start') } }, async (verbs) => {
    const listed = await verbs.list({})
    const inspected = await verbs.inspect({ positionals: ['echo.echo'] })
    const seen = await verbs.overview({})

    expect(listed.code).toBe(0)
    expect(listed.out).toMatch(/^ {2}echo /m)
    expect(listed.err).toMatch(/^ends: /)
    expect(inspected.out).toContain('capstan call echo.echo')
    expect(seen.out).toContain('capstan doctor ends')
    expect(seen.out).toMatch(/echo +ready/)
  })
})
