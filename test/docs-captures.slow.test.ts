import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from './config/temp-folder.ts'

const bin = resolve('dist/cli/bin.js')
const documents = ['README.md', ...(await readdir('docs')).map((name) => `docs/${name}`)]
const withCaptures = await keepAsync(documents, async (file) => (await capturesIn(file)).length > 0)

test.each(withCaptures)('every command in %s prints what the document shows', async (file) => {
  const captures = await capturesIn(file)

  const printed = await runInClone(
    captures.map(({ command }) => command),
    { daemon: showsDaemon.has(file) ? 'on' : 'off' },
  )

  for (const [index, { command, output }] of captures.entries()) {
    const expected = normalised(output)
    expect(elided(normalised(printed[index] ?? ''), expected), command).toBe(expected)
  }
})

/** These are about the daemon, or a tour as a person would take it; the others show each command by itself. */
const showsDaemon: ReadonlySet<string> = new Set(['README.md', 'docs/daemon.md'])

interface Capture {
  readonly command: string
  readonly output: string
}

/** The commands in the `console` blocks of a document, each with what stands below it. */
async function capturesIn(file: string): Promise<readonly Capture[]> {
  const text = await readFile(file, 'utf8')
  const blocks = Array.from(text.matchAll(/^```console\n(.*?)^```/gms), ([, block]) => block ?? '')
  return blocks.flatMap((block) => block.split(/^\$ /m).slice(1)).map(captureOf)
}

function captureOf(text: string): Capture {
  const [command = '', ...lines] = text.split('\n')
  // A clone's `npx` runs the clone's own build, which is what the tests put on the PATH.
  return { command: command.replaceAll('npx capstan', 'capstan'), output: lines.join('\n') }
}

/** Runs commands one after the other in one shell, in a folder that looks like a clone; gives what each printed. */
async function runInClone(
  commands: readonly string[],
  { daemon }: { readonly daemon: 'on' | 'off' },
): Promise<readonly string[]> {
  await using home = await tempFolder()
  const clone = join(home.path, 'capstan')
  await cp('examples', join(clone, 'examples'), { recursive: true })
  await symlink(resolve('node_modules'), join(clone, 'node_modules'))
  await mkdir(join(home.path, 'bin'))
  await writeFile(join(home.path, 'bin', 'capstan'), `#!/bin/sh\nexec node ${bin} "$@"\n`, { mode: 0o755 })
  const PATH = [join(home.path, 'bin'), join(clone, 'node_modules', '.bin'), '/usr/bin', '/bin'].join(':')
  const marked = [...commands, 'capstan stop'].map((command) => `echo ${mark}\n${command}`)
  const script = ['exec 2>&1 </dev/null', ...marked].join('\n')
  const env = { PATH, HOME: home.path, TMPDIR: home.path, USER: 'ada', CAPSTAN_DAEMON: daemon }
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], { cwd: clone, env })
  return stdout.replaceAll(home.path, '~').split(`${mark}\n`).slice(1, -1)
}

const mark = '--- next command ---'

/**
 * Without what differs from run to run: durations and times, the width of columns that hold them, ids, memory, Node's version; and without
 * `npx`, which Capstan says only where it is not on the PATH, as here it is.
 */
function normalised(text: string): string {
  return text
    .replaceAll('npx capstan', 'capstan')
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, 'N ms')
    .replaceAll(/^(\s*node\s+)\d+\.\d+\.\d+$/gm, '$1N')
    .replaceAll(/\b(?:\d{2}:\d{2}:\d{2}|[0-9a-f]{8})\b/g, 'N')
    .replaceAll(/\b(pid|legacy|modern)( +)\d+\b(?!-)/g, '$1$2N')
    .replaceAll(/\b\d+ MB\b/g, 'N MB')
    .replaceAll(/ {2,}/g, '  ')
    .trim()
}

/** The text with `…` where the expected one has it: a line `…` stands for any lines. Unchanged where the rest differs. */
function elided(text: string, expected: string): string {
  const parts = expected.split(/^…$/m).map((part) => part.trim())
  const isEnd = (index: number) => index === parts.length - 1
  let from = 0
  for (const [index, part] of parts.entries()) {
    const at = isEnd(index) ? text.length - part.length : text.indexOf(part, from)
    if (at < from || (index === 0 && at !== 0) || !text.startsWith(part, at)) return text
    from = at + part.length
  }
  return expected
}

async function keepAsync<Item>(items: readonly Item[], keep: (item: Item) => Promise<boolean>): Promise<Item[]> {
  const kept = await Promise.all(items.map(keep))
  return items.filter((_, index) => kept[index])
}
