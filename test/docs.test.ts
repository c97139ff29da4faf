import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { commands } from '../src/cli/commands.ts'
import { aliases } from '../src/cli/verbs.ts'
import { exitCodeOf, exitCodes } from '../src/cli/exit-codes.ts'
import { helpTopics } from '../src/cli/help-topics.ts'
import { overallHelp } from '../src/cli/help.ts'
import { errorFamilies, type CapstanErrorCode } from '../src/errors.ts'
import { places } from '../src/files/places.ts'

const inDocs = readdirSync('docs').map((name) => `docs/${name}`)
const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'examples/README.md', ...inDocs]
const textOf = (file: string): string => readFileSync(file, 'utf8')

describe('docs/cli.md', () => {
  const text = textOf('docs/cli.md')

  test.each(Object.keys(commands))('has a section for %s, with every flag of its own', async (verb) => {
    const section = sectionsOf(text).find(({ heading }) => heading.includes(`capstan ${verb}`))?.body ?? ''
    const { command } = await (commands[verb]?.load() ?? Promise.reject(new Error(verb)))

    const missing = Object.keys(command.options).filter((flag) => !section.includes(`--${flag}`))

    expect(section).not.toBe('')
    expect(missing).toEqual([])
  })

  test('names every flag that all commands take, every other word for a verb, and every topic of help', () => {
    const flags = overallHelp().match(/--[a-z-]+/g) ?? []
    const wanted = [...flags, '--version', '--list-prompts', ...Object.keys(aliases), ...Object.keys(helpTopics)]

    expect(flags.length).toBeGreaterThan(5)
    expect(wanted.filter((word) => !text.includes(word))).toEqual([])
  })

  test('has a row for every exit code', () => {
    const rows = Array.from(text.matchAll(/^\| (\d+) \|/gm), ([, code]) => Number(code))

    expect(rows).toEqual(Object.values(exitCodes))
  })

  test('names every environment variable that says where files are kept', () => {
    const asked = new Set<string>()
    const env = new Proxy({}, { get: (_, name) => void asked.add(String(name)) })
    places(env)

    expect(asked.size).toBeGreaterThan(4)
    expect([...asked].filter((name) => !text.includes(name))).toEqual([])
  })
})

test('docs/library.md has a row for every error code, with its family and exit code', () => {
  const rows = Array.from(textOf('docs/library.md').matchAll(/^\| (\w+) \| `(\w+)` \|.*\| (\d+) \|$/gm), (row) =>
    row.slice(1, 4).join(' '),
  )

  const codes = Object.entries(errorFamilies) as [CapstanErrorCode, string][]
  expect(rows).toEqual(codes.map(([code, family]) => `${family} ${code} ${exitCodeOf(code)}`))
})

describe('docs/architecture.md', () => {
  const text = textOf('docs/architecture.md')

  test('has a row for every room', () => {
    const rooms = readdirSync('src', { withFileTypes: true })
    const names = rooms.map((room) => `\`src/${room.name}${room.isDirectory() ? '/' : ''}\``)

    expect(names.filter((name) => !text.includes(name))).toEqual([])
  })

  test('says of every dependency what it does here', () => {
    const { dependencies, devDependencies } = packageJson
    const rows = text.split('\n').filter((line) => line.startsWith('| `'))
    const isThere = (name: string) => rows.some((row) => row.includes(`\`${name}\``))

    expect(Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !isThere(name))).toEqual([])
  })

  test('names only source files that exist', async () => {
    const files = Array.from(
      text.matchAll(/`((?:cli|config|hub|daemon|files|policy|sandbox)\/[\w/-]+\.ts)`/g),
      ([, file]) => file,
    )

    const missing = await keepAsync(files, async (file) => !(await exists(join('src', file ?? ''))))

    expect(files.length).toBeGreaterThan(10)
    expect(missing).toEqual([])
  })
})

describe.each(documents)('%s', (file) => {
  const text = textOf(file)

  test('has only links that lead somewhere', async () => {
    const targets = Array.from(withoutCode(text).matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, target]) => target ?? '')

    const broken = await keepAsync(targets, async (target) => !(await leadsSomewhere(file, target)))

    expect(broken).toEqual([])
  })

  test('names no command that does not exist', () => {
    // The sentence for an old Node begins with the name of the program as well, and folders are called so too.
    const spoken = codeIn(text).flatMap((code) => [...code.matchAll(/(?<!\/)\bcapstan (?!needs Node)([a-z][\w-]*)/g)])
    const known = new Set([...Object.keys(commands), ...Object.keys(aliases), 'help'])

    expect(spoken.map(([, verb]) => verb ?? '').filter((verb) => !known.has(verb))).toEqual([])
  })

  test('quotes code only from the examples, which are run', () => {
    const blocks = Array.from(text.matchAll(/^```(?:ts|js|typescript)\n(.*?)^```/gms), ([, code]) => code ?? '')
    const programs = readdirSync('examples').filter((name) => name.endsWith('.ts'))
    const sources = programs.map((name) => textOf(`examples/${name}`))

    expect(blocks.filter((block) => !sources.some((source) => source.includes(block)))).toEqual([])
  })

  test('names no path of the machine it was written on', () => {
    expect(text).not.toContain(`${process.cwd()}/`)
    expect(text).not.toContain(`${homedir()}/`)
  })
})

interface Section {
  readonly heading: string
  readonly body: string
}

function sectionsOf(text: string): readonly Section[] {
  const parts = text.split(/^#{2,3} /m).slice(1)
  return parts.map((part) => ({ heading: part.slice(0, part.indexOf('\n')), body: part }))
}

/** Code blocks and code spans. */
function codeIn(text: string): readonly string[] {
  const blocks = text.match(/^```[^]*?^```/gm) ?? []
  const spans = withoutCode(text, { keepSpans: true }).match(/`[^`]+`/g) ?? []
  return [...blocks, ...spans]
}

function withoutCode(text: string, { keepSpans = false } = {}): string {
  const withoutBlocks = text.replaceAll(/^```[^]*?^```/gm, '')
  return keepSpans ? withoutBlocks : withoutBlocks.replaceAll(/`[^`]*`/g, '')
}

async function leadsSomewhere(from: string, target: string): Promise<boolean> {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? from : join(dirname(from), path)
  if (!(await exists(file))) return false
  return anchor === undefined || anchorsOf(textOf(file)).includes(anchor)
}

/** As forges make them from headings. */
function anchorsOf(text: string): readonly string[] {
  const headings = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) => heading ?? '')
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}

async function keepAsync<Item>(items: readonly Item[], keep: (item: Item) => Promise<boolean>): Promise<Item[]> {
  const kept = await Promise.all(items.map(keep))
  return items.filter((_, index) => kept[index])
}
