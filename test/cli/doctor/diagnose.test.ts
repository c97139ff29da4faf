import { expect, test } from 'vitest'
import { diagnose } from '../../../src/cli/doctor/diagnose.ts'
import type { Evidence } from '../../../src/cli/doctor/report.ts'
import { parseEntry } from '../../../src/config/entry.ts'
import type { ConfiguredServer, ServerConfig } from '../../../src/config/types.ts'
import type { Coverage, ServerStatus } from '../../../src/hub/api.ts'
import { failed, ready, toolOf, untrusted } from '../literal-hub.ts'

function stdio(command: string, args: readonly string[] = []): ServerConfig {
  return parseEntry({ command, args }, { name: 's' }).server
}

function evidence(status: ServerStatus, rest: Partial<Evidence> & { coverage?: Coverage } = {}): Evidence {
  const { coverage = { kind: 'listed', server: status.name }, ...known } = rest
  const group = { status, coverage, tools: [toolOf(status.name, 'x')], prompts: [], resources: [], templates: [] }
  return { group, logs: [], ...known }
}

function mendOf(found: Evidence): string | undefined {
  return diagnose(found).findings.find((finding) => finding.level === 'problem')?.mend
}

test('a server that is well has facts and no findings', () => {
  const configured: ConfiguredServer = {
    name: 's',
    entry: {},
    origin: { layer: 'user', file: '/home/me/mcp.json' },
    standing: { kind: 'usable', server: stdio('node') },
  }

  const report = diagnose(evidence(ready('s'), { configured, server: stdio('node'), commandFile: '/usr/bin/node' }))

  expect(report.findings).toEqual([])
  expect(report.facts).toEqual([
    { label: 'entry', value: 'valid, from /home/me/mcp.json' },
    { label: 'command', value: 'node is /usr/bin/node' },
    { label: 'started', value: 'in 312 ms' },
    { label: 'protocol', value: 'legacy, 2025-11-25, over stdio' },
    { label: 'offers', value: '1 tool, 0 prompts, 0 resources, 0 templates' },
  ])
})

test.each([
  ['uvx', 'Install uv'],
  ['npx', 'Install Node.js'],
  ['my-server', 'Install "my-server"'],
  ['/opt/none', 'There is no program at /opt/none'],
])('a command that is not there (%s) is to be installed or corrected', (command, advice) => {
  expect(mendOf(evidence(failed('s'), { server: stdio(command) }))).toContain(advice)
})

test('a server that ends at its start is to be run by hand, and its last words are shown', () => {
  const found = evidence(failed('s', {}, ['Error: no key']), {
    server: stdio('node', ['a b.js']),
    commandFile: '/usr/bin/node',
  })

  expect(mendOf(found)).toBe("Run it by hand to see why: node 'a b.js'")
  expect(diagnose(found).stderrTail).toEqual(['Error: no key'])
})

test('a start that takes too long through a wrapper may be a download', () => {
  const late = failed('s', { code: 'connect_timed_out' })

  expect(mendOf(evidence(late, { server: stdio('npx', ['-y', 'x']), commandFile: '/usr/bin/npx' }))).toContain(
    'may be downloading',
  )
  expect(mendOf(evidence(late, { server: stdio('node'), commandFile: '/usr/bin/node' }))).toContain('startTimeout')
  expect(mendOf(evidence({ name: 's', state: { kind: 'connecting', sinceMs: 0 } }))).toContain('startTimeout')
})

test.each([
  [failed('s', { code: 'login_needed', next: 'Put a token into "headers".' }), 'Put a token into "headers".'],
  [failed('s', { code: 'connection_refused', next: 'Start the server.' }), 'Start the server.'],
  [failed('s', { code: 'transport_failed' }), 'Check "url" and "headers" of its entry.'],
  [failed('s', { code: 'config_invalid', next: 'Set TOKEN.' }), 'Set TOKEN.'],
  [untrusted('s'), 'Look at it and approve it: capstan review'],
])('other failures keep the advice that came with them (%#)', (status, mend) => {
  expect(mendOf(evidence(status))).toBe(mend)
})

test('lists that are old or missing are a problem even when the server is ready', () => {
  const error = { code: 'server_error', message: 'tools/list failed', server: 's' } as const

  expect(diagnose(evidence(ready('s'), { coverage: { kind: 'stale', server: 's', error } })).findings).toMatchObject([
    { level: 'problem', what: 'tools/list failed' },
  ])
})

test('noise on stdout, wrappers, slow starts and being disabled are notes, not problems', () => {
  const noisy = diagnose(
    evidence(ready('s', { connectMs: 9000 }), {
      server: stdio('uvx', ['x']),
      commandFile: '/bin/uvx',
      logs: [{ atMs: 0, source: 'stdout', text: 'Listening…' }],
    }),
  )
  const off = diagnose(evidence({ name: 's', state: { kind: 'disabled' } }))

  expect(noisy.findings.map((finding) => finding.level)).toEqual(['note', 'note', 'note'])
  expect(noisy.findings[0]?.what).toContain('1 line')
  expect(off.findings).toMatchObject([{ level: 'note', mend: 'Run: capstan enable s' }])
})

test('a package that is always the latest is a note with the advice to write a version', () => {
  const report = diagnose(
    evidence(ready('s'), { server: stdio('node', ['-y', 'tool@latest']), commandFile: '/usr/bin/node' }),
  )

  expect(report.findings).toMatchObject([
    { level: 'note', what: expect.stringContaining('tool@latest'), mend: expect.stringContaining('version') },
  ])
})

test('a report holds no secrets, and variables stay as the file has them', () => {
  const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
  const server = stdio('node', ['x.js', `--token=${token}`, '--key=${MY_KEY}'])

  const report = diagnose(evidence(failed('s'), { server, commandFile: '/usr/bin/node' }))
  const remote = diagnose(
    evidence(failed('r'), {
      server: parseEntry({ url: `https://x.example/mcp?token=${token}` }, { name: 'r' }).server,
    }),
  )

  expect(JSON.stringify([report, remote])).not.toContain(token)
  expect(report.findings[0]?.mend).toContain('"--key=${MY_KEY}"')
  expect(remote.facts).toEqual([{ label: 'url', value: 'https://x.example/mcp' }])
})

test('a server that ended after it had answered is a problem', () => {
  const report = diagnose(
    evidence({ name: 's', state: { kind: 'idle' } }, { server: stdio('node'), commandFile: '/bin/node' }),
  )

  expect(report.findings).toMatchObject([{ level: 'problem', mend: 'Run it by hand to see why: node' }])
})
