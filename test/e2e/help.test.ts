import { expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { aliases } from '../../src/cli/verbs.ts'
import { world } from './cli.ts'

const verbs = Object.keys(commands)

test.concurrent('--help names every verb, and every verb it names has help of its own', async () => {
  await using home = await world()

  const [long, short, verb] = await Promise.all([['--help'], ['-h'], ['help']].map((args) => home.capstan(args)))

  expect(long).toMatchObject({ code: 0, stderr: '' })
  expect(new Set([long?.stdout, short?.stdout, verb?.stdout]).size).toBe(1)
  for (const name of verbs) expect(long?.stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
})

test.concurrent.each([...verbs, ...Object.keys(aliases)])(
  '%s --help says how it is used, with examples',
  async (verb) => {
    await using home = await world()

    const { code, stdout, stderr } = await home.capstan([verb, '--help'])

    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^capstan \S+/)
    expect(stdout).toContain('--json')
    expect(stdout).toContain('Examples')
  },
)

test.concurrent('help VERB is the same as VERB --help', async () => {
  await using home = await world()

  const [flag, verb] = await Promise.all([home.capstan(['call', '--help']), home.capstan(['help', 'invoke'])])

  expect(flag).toEqual(verb)
})

test.concurrent.each([
  ['exit-codes', '130'],
  ['config', '.mcp.json'],
  ['names', 'server.tool'],
  ['policy', 'deny'],
])('help %s explains the topic', async (topic, word) => {
  await using home = await world()

  const { code, stdout } = await home.capstan(['help', topic])

  expect(code).toBe(0)
  expect(stdout).toContain(word)
})

test.concurrent('help for something that is not there is refused with the closest verb', async () => {
  await using home = await world()

  expect(await home.capstan(['help', 'lits'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('capstan list'),
  })
})

test.concurrent('a flag that does not exist is refused in one line with the help to read', async () => {
  await using home = await world()

  const { code, stdout, stderr } = await home.capstan(['call', 'x', '--frobnicate'])

  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toBe('capstan: There is no flag "--frobnicate" here.\n  → Run: capstan help call\n')
})

test.concurrent('a flag without its value is refused in one line', async () => {
  await using home = await world()

  const outcomes = await Promise.all([home.capstan(['list', '--timeout']), home.capstan(['list', '--timeout', '-5'])])

  for (const { code, stderr } of outcomes) {
    expect(code).toBe(2)
    expect(stderr).toMatch(/^capstan: [^\n]*--timeout[^\n]*\.\n {2}→ [^\n]*capstan help list\n$/)
  }
})
