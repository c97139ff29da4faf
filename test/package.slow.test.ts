import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { installPackage, type InstalledPackage } from './fixtures/installed-package.ts'

const run = promisify(execFile)
const servers = fileURLToPath(new URL('fixtures/servers', import.meta.url))

describe('the package as users get it', () => {
  let installed: InstalledPackage
  let home: string

  beforeAll(async () => {
    installed = await installPackage()
  }, 300_000)

  afterAll(() => installed[Symbol.asyncDispose]())

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'capstan-home-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  })

  // Only Node is on the PATH, and it is the one that runs the tests.
  function capstan(...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const env = { PATH: dirname(process.execPath), HOME: home, CAPSTAN_DAEMON: 'off' }
    return run(installed.command, args, { env, cwd: home })
  }

  test('prints its version in an empty home', async () => {
    const { stdout, stderr } = await capstan('--version')

    expect(stdout).toBe(`${packageJson.version}\n`)
    expect(stderr).toBe('')
    expect(filesBelow(home)).toEqual([])
  })

  test('shows the servers of another client, and starts and writes nothing', async () => {
    const trace = join(home, 'started')
    const entry = {
      command: process.execPath,
      args: ['-e', `require('fs').writeFileSync(${JSON.stringify(trace)}, '')`],
    }
    mkdirSync(join(home, '.cursor'))
    writeFileSync(join(home, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: { tickets: entry } }))

    const { stdout } = await capstan()

    expect(stdout).toContain('tickets')
    expect(stdout).toContain('Cursor')
    expect(stdout).toContain('capstan import')
    expect(filesBelow(home)).toEqual(['.cursor/mcp.json'])
  })

  test('calls a tool of a server that is in no file', async () => {
    cpSync(servers, join(home, 'servers'), { recursive: true })
    const server = `${process.execPath} ${join(home, 'servers', 'echo.ts')}`

    const { stdout } = await capstan('call', 'echo', 'message=hello world', '--stdio', server)

    expect(stdout).toBe('hello world\n')
  })

  test('can be imported by a program, types included', async () => {
    const program = `import { openHub } from 'capstan'; import { dialHub } from 'capstan/dial'; console.log(typeof openHub, typeof dialHub)`

    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: installed.folder })

    expect(stdout).toBe('function function\n')
    expect(installed.packedFiles).toEqual(expect.arrayContaining(['dist/lib/index.d.ts', 'dist/lib/dial.d.ts']))
  })

  test('holds the build, the licences and the documents, and nothing else', () => {
    const outside = installed.packedFiles.filter((file) => !file.startsWith('dist/')).sort()

    expect(outside).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    expect(installed.packedFiles).toContain('dist/cli/THIRD-PARTY-LICENSES.txt')
    expect(installed.packedFiles).not.toContain('dist/cli/meta.json')
  })

  test('takes at most 60 MB with all that it depends on', () => {
    console.log(`packed ${megabytes(installed.packedBytes)}, installed ${megabytes(installed.installedBytes)}`)

    expect(installed.installedBytes).toBeLessThanOrEqual(60e6)
  })
})

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return files.map((file) => join(file.parentPath, file.name).slice(folder.length + 1)).sort()
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
