import { cp, mkdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RawEntry } from '../../src/config/types.ts'
import { fixture } from '../fixtures/fixture.ts'
import { world, type World } from './cli.ts'
import { startsIn, traced } from './traced-server.ts'

interface Project extends World {
  /** Holds a line for each start of the project's server. */
  readonly trace: string
  readonly writeEntry: (entry: RawEntry) => Promise<void>
}

/** A project whose `.mcp.json` brings the server `theirs`, and a user with the server `mine`. */
async function project(): Promise<Project> {
  const home = await world()
  const trace = join(home.home, 'trace')
  const writeEntry = (theirs: RawEntry) => home.write({ '.mcp.json': { mcpServers: { theirs } } })
  await home.write({ '~/.config/capstan/mcp.json': { mcpServers: { mine: fixture('echo') } } })
  await writeEntry(traced(trace))
  return { ...home, trace, writeEntry }
}

const callTheirs = ['call', 'theirs.echo', 'message=hi']

describe.concurrent('before a person has approved it, a project server', () => {
  test.each([
    ['call', callTheirs],
    ['prompt', ['prompt', 'theirs:greet', 'who=Ada']],
    ['read --server', ['read', 'note://one', '--server', 'theirs']],
    ['list', ['list', 'theirs']],
    ['inspect', ['inspect', 'theirs.echo']],
    ['inspect of the server', ['inspect', 'theirs']],
  ])('that %s is aimed at is not started: exit code 5, and the command that approves it', async (_verb, args) => {
    await using home = await project()

    const [plain, json] = [await home.capstan(args), await home.capstan([...args, '--json'])]

    expect([plain.code, json.code]).toEqual([5, 5])
    expect(plain.stdout + plain.stderr).toContain('capstan review')
    expect(() => JSON.parse(json.stdout) as unknown).not.toThrow()
    expect(json.stdout).toContain('not_trusted')
    expect(startsIn(home.trace)).toBe(0)
  })

  test.each([
    ['list', ['list'], 0],
    ['the overview', [], 0],
    ['doctor', ['doctor'], 1],
    ['a bare name', ['call', 'echo', 'message=hi'], 0],
    ['read', ['read', 'note://one'], 0],
  ])('is not started by %s, and does not keep the others from working', async (_what, args, code) => {
    await using home = await project()

    const outcome = await home.capstan(args)

    expect(outcome.code).toBe(code)
    expect(startsIn(home.trace)).toBe(0)
  })

  test('is named by list, with the command that approves it', async () => {
    await using home = await project()

    const { stderr } = await home.capstan(['list'])

    expect(stderr).toMatch(/^theirs: .*has not been approved yet.*capstan review/)
  })

  test('does not get a command run for its ${cmd:…} either', async () => {
    await using home = await project()
    const touched = join(home.home, 'touched')
    await home.writeEntry({ ...fixture('echo'), env: { TOKEN: `\${cmd:touch ${touched}}` } })

    await home.capstan(['list'])
    await home.capstan(['review', '--all'])
    const { code, stderr } = await home.capstan(callTheirs)

    expect(code).toBe(2)
    expect(stderr).toMatch(/cmd/)
    expect(startsIn(touched)).toBe(0)
  })

  test('is not approved by looking at what waits', async () => {
    await using home = await project()

    const asked = await home.capstan(['review'])
    const after = await home.capstan(callTheirs)

    expect(asked).toMatchObject({ code: 5, stdout: expect.stringContaining('theirs:') })
    expect([after.code, startsIn(home.trace)]).toEqual([5, 0])
  })
})

describe.concurrent('after an approval, a project server', () => {
  test('runs', async () => {
    await using home = await project()

    const review = await home.capstan(['review', '--all'])
    const call = await home.capstan(callTheirs)

    expect(review).toMatchObject({ code: 0, stdout: expect.stringContaining('Approved: theirs.') })
    expect(call).toEqual({ code: 0, stdout: 'hi\n', stderr: '' })
    expect(startsIn(home.trace)).toBe(1)
  })

  test('runs from any folder of the project', async () => {
    await using home = await project()
    await mkdir(join(home.cwd, '.git'))
    await mkdir(join(home.cwd, 'deep/inside'), { recursive: true })
    await home.capstan(['review', '--all'])

    const { stdout } = await home.capstan(callTheirs, { cwd: join(home.cwd, 'deep/inside') })

    expect(stdout).toBe('hi\n')
  })

  test.each<[string, (entry: RawEntry) => RawEntry]>([
    ['args', (entry) => ({ ...entry, args: [...(entry['args'] as readonly string[]), '--more'] })],
    ['command', (entry) => ({ ...entry, command: 'node' })],
    ['env', (entry) => ({ ...entry, env: { NODE_OPTIONS: '--no-warnings' } })],
    ['cwd', (entry) => ({ ...entry, cwd: '/' })],
    ['headers', (entry) => ({ ...entry, headers: { 'X-To': 'elsewhere' } })],
    ['alwaysAllow', (entry) => ({ ...entry, alwaysAllow: ['*'] })],
  ])('waits again when its %s changed, and review shows only the difference', async (field, change) => {
    await using home = await project()
    await home.write({ '.mcp.json': { mcpServers: { theirs: traced(home.trace), other: fixture('echo') } } })
    await home.capstan(['review', '--all'])
    await home.write({ '.mcp.json': { mcpServers: { theirs: change(traced(home.trace)), other: fixture('echo') } } })

    const call = await home.capstan(callTheirs)
    const review = await home.capstan(['review'])

    expect(call).toMatchObject({ code: 5, stderr: expect.stringContaining('has changed since you approved it') })
    expect(startsIn(home.trace)).toBe(0)
    expect(review.stdout).toMatch(new RegExp(`theirs has changed:\\n {4}${field}`))
    expect(review.stdout).not.toContain('other')
    expect(review.stdout.split('\n').filter((line) => line.startsWith('    '))).toHaveLength(1)
  })

  test('does not wait again for a change of layout, comments or order of fields', async () => {
    await using home = await project()
    await home.capstan(['review', '--all'])
    const { command, args } = traced(home.trace)
    const text = `// ours\n{ "mcpServers": { "theirs": { "args": ${JSON.stringify(args)}, "command": ${JSON.stringify(command)}, } } }`
    await home.write({ '.mcp.json': text })

    expect(await home.capstan(callTheirs)).toMatchObject({ code: 0, stdout: 'hi\n' })
  })

  test('waits again in a copy of the folder, and in the folder after a move', async () => {
    await using home = await project()
    await home.capstan(['review', '--all'])
    const [copy, moved] = [join(home.home, 'copy'), join(home.home, 'moved')]
    await cp(home.cwd, copy, { recursive: true })

    const inCopy = await home.capstan(callTheirs, { cwd: copy })
    await rename(home.cwd, moved)
    const inMoved = await home.capstan(callTheirs, { cwd: moved })

    expect([inCopy.code, inMoved.code, startsIn(home.trace)]).toEqual([5, 5, 0])
  })

  test('waits again when its file is swapped for a link to another one', async () => {
    await using home = await project()
    await home.write({ 'other.json': { mcpServers: { theirs: traced(home.trace, ['--other']) } } })
    await home.capstan(['review', '--all'])
    await rename(join(home.cwd, '.mcp.json'), join(home.cwd, 'old.json'))
    await symlink('other.json', join(home.cwd, '.mcp.json'))

    const { code } = await home.capstan(callTheirs)

    expect([code, startsIn(home.trace)]).toEqual([5, 0])
  })

  test('is approved for the link it is reached through, and what the link shows is what counts', async () => {
    await using home = await project()
    await rename(join(home.cwd, '.mcp.json'), join(home.cwd, 'real.json'))
    await symlink('real.json', join(home.cwd, '.mcp.json'))
    await home.capstan(['review', '--all'])

    const approved = await home.capstan(callTheirs)
    await home.write({ 'real.json': { mcpServers: { theirs: traced(home.trace, ['--evil']) } } })
    const changed = await home.capstan(callTheirs)

    expect([approved.code, changed.code, startsIn(home.trace)]).toEqual([0, 5, 1])
  })

  test('does not pass its approval on to another project with the same name and entry', async () => {
    await using home = await project()
    await home.capstan(['review', '--all'])
    const other = join(home.home, 'other')
    await mkdir(other)
    await cp(join(home.cwd, '.mcp.json'), join(other, '.mcp.json'))

    expect((await home.capstan(callTheirs, { cwd: other })).code).toBe(5)
  })
})

describe.concurrent('--trust-project', () => {
  test('runs project servers without asking, and approves nothing for later', async () => {
    await using home = await project()

    const trusted = await home.capstan([...callTheirs, '--trust-project'])
    const later = await home.capstan(callTheirs)

    expect(trusted).toEqual({ code: 0, stdout: 'hi\n', stderr: '' })
    expect(later.code).toBe(5)
  })

  test('does not let a project run ${cmd:…}', async () => {
    await using home = await project()
    const touched = join(home.home, 'touched')
    await home.writeEntry({ ...fixture('echo'), env: { TOKEN: `\${cmd:touch ${touched}}` } })

    const { code } = await home.capstan([...callTheirs, '--trust-project'])

    expect([code, startsIn(touched)]).toEqual([2, 0])
  })
})

describe.concurrent('a project server with the name of one of the user’s', () => {
  test('runs neither before it is approved: not theirs, and not silently the user’s own', async () => {
    await using home = await project()
    const own = join(home.home, 'own')
    await home.write({
      '~/.config/capstan/mcp.json': { mcpServers: { theirs: traced(own) } },
      '.mcp.json': { mcpServers: { theirs: traced(home.trace) } },
    })

    const { code } = await home.capstan(callTheirs)

    expect([code, startsIn(home.trace), startsIn(own)]).toEqual([5, 0, 0])
  })

  test('replaces the whole entry once approved, with nothing of the user’s mixed in', async () => {
    await using home = await project()
    await home.write({
      '~/.config/capstan/mcp.json': { mcpServers: { theirs: { ...fixture('echo'), env: { SECRET: 'of the user' } } } },
    })
    await home.capstan(['review', '--all'])

    const { stdout } = await home.capstan(['call', 'theirs.env', 'name=SECRET'])

    expect([stdout.trim(), startsIn(home.trace)]).toEqual(['', 1])
  })
})
