import { expect, test } from 'vitest'
import { askForTrust, describePending, type PendingServer } from '../../src/cli/trust-question.ts'
import { person } from './person.ts'

const one: PendingServer = { projectFile: '/p/.mcp.json', name: 'one', entry: { command: 'npx', args: ['-y', 'a b'] } }
const two: PendingServer = { projectFile: '/p/.mcp.json', name: 'two', entry: { url: 'https://two.example/mcp' } }

test('one question lists the servers of a file with what they would start', async () => {
  const ada = person({ isAtTerminal: true, types: 'all\r' })

  const decisions = await askForTrust(ada.io, [one, two])

  expect(decisions.map(({ name, decision }) => [name, decision])).toEqual([
    ['one', 'trusted'],
    ['two', 'trusted'],
  ])
  expect(ada.said()).toContain(
    "/p/.mcp.json wants to start servers on this machine:\n  one: npx -y 'a b'\n  two: https://two.example/mcp\n",
  )
  expect(ada.said().match(/Trust them\?/g)).toHaveLength(1)
})

test('"none" refuses them all, so that they are not asked about again', async () => {
  const ada = person({ isAtTerminal: true, types: 'none\r' })

  const decisions = await askForTrust(ada.io, [one, two])

  expect(decisions.map(({ decision }) => decision)).toEqual(['refused', 'refused'])
})

test('"choose" asks about each', async () => {
  const ada = person({ isAtTerminal: true, types: 'choose\rno\ryes\r' })

  const decisions = await askForTrust(ada.io, [one, two])

  expect(decisions.map(({ name, decision }) => [name, decision])).toEqual([
    ['one', 'refused'],
    ['two', 'trusted'],
  ])
})

test('an empty line decides nothing: it is asked again', async () => {
  const ada = person({ isAtTerminal: true, types: '\rall\r' })

  const decisions = await askForTrust(ada.io, [one])

  expect(decisions).toHaveLength(1)
  expect(ada.said()).toContain('Please answer all, choose, none.')
})

test('two project files are two questions', async () => {
  const ada = person({ isAtTerminal: true, types: 'all\rnone\r' })

  const decisions = await askForTrust(ada.io, [one, { ...two, projectFile: '/q/.mcp.json' }])

  expect(decisions.map(({ projectFile, decision }) => [projectFile, decision])).toEqual([
    ['/p/.mcp.json', 'trusted'],
    ['/q/.mcp.json', 'refused'],
  ])
})

test('without a terminal nothing is asked and nothing decided', async () => {
  const script = person({ types: 'all\n' })

  expect(await askForTrust(script.io, [one])).toEqual([])
  expect(script.said()).toBe('')
})

test('Ctrl-C decides nothing', async () => {
  const ada = person({ isAtTerminal: true, types: '\u0003' })

  await expect(askForTrust(ada.io, [one])).rejects.toMatchObject({ code: 'cancelled' })
})

test('a changed entry shows only the difference', () => {
  const before = { command: 'npx', args: ['-y', 'a'], env: { MODE: 'dev' } }
  const entry = { ...before, args: ['-y', 'evil'] }

  expect(describePending({ ...one, entry, before })).toEqual(['one has changed:', '  args: ["-y","a"] → ["-y","evil"]'])
})

test('a new entry shows everything that can run code or send data away, with secrets masked', () => {
  const env = { NODE_OPTIONS: '--import=./x.js', GITHUB_TOKEN: `ghp_${'a1B2'.repeat(9)}` }
  const entry = { command: 'npx', args: ['a'], cwd: '/srv', env, alwaysAllow: ['*'], description: 'nice' }

  expect(describePending({ ...one, entry })).toEqual([
    'one: npx a',
    '  cwd: /srv',
    '  env.NODE_OPTIONS: --import=./x.js',
    '  env.GITHUB_TOKEN: ghp_****',
    '  alwaysAllow: ["*"]',
    '  description: nice',
  ])
})

test('hidden characters in a command, a name or a changed field are written out', () => {
  const entry = { command: 'npx', args: ['good\u202Edab', '\u001B[2Jx'] }

  const lines = [
    ...describePending({ ...one, name: 'o\u200Bne', entry }),
    ...describePending({ ...one, entry, before: {} }),
  ]

  expect(lines.join('\n')).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u)
  expect(lines[0]).toBe(String.raw`o\u{200b}ne: npx 'good\u{202e}dab' '\u{1b}[2Jx'`)
})

test('tools of a project are asked about with their code, apart from its servers', async () => {
  const ada = person({ isAtTerminal: true, types: 'none\rchoose\ryes\r' })
  const tool: PendingServer = {
    projectFile: '/p/.capstan/tools',
    name: 'report.ts',
    tool: 'my.report',
    entry: { code: 'export default () => 1\n' },
  }

  const decisions = await askForTrust(ada.io, [one, tool])

  expect(decisions).toMatchObject([
    { name: 'one', decision: 'refused' },
    { projectFile: '/p/.capstan/tools', name: 'report.ts', entry: tool.entry, decision: 'trusted' },
  ])
  expect(ada.said()).toContain('  my.report (report.ts):\n    | export default () => 1\n')
  expect(ada.said()).toContain('Trust my.report?')
})

test('a server cannot pass for a tool by having code in its entry', () => {
  const entry = { command: 'rm', args: ['-rf', '/'], code: 'export default () => 1' }

  expect(describePending({ ...one, entry })[0]).toBe('one: rm -rf /')
})
