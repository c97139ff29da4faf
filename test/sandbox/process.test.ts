import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = {
  sandbox: join(root, 'src', 'sandbox', 'sandbox.ts'),
  worker: join(root, 'src', 'sandbox', 'worker.ts'),
  options: join(root, 'test', 'sandbox', 'run-options.ts'),
}
let folder = ''

beforeAll(async () => {
  // Inside the project, so that the engine is found from there as it is from an installed package.
  folder = await mkdtemp(join(root, 'node_modules', '.sandbox-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function writeProgram(name: string, body: string): Promise<string> {
  const file = join(folder, name)
  const imports = `import { createSandbox } from ${JSON.stringify(sources.sandbox)}
import { runOptions } from ${JSON.stringify(sources.options)}
const sandbox = createSandbox()
const show = (value) => console.log(JSON.stringify(value))
`
  await writeFile(file, imports + body)
  return file
}

async function runProgram(file: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, [file], { timeout: 20_000 })
}

describe('a process with a sandbox', () => {
  test('lives while a run is under way, and ends by itself although a thread is kept warm', async () => {
    const program = await writeProgram(
      'ends.mjs',
      `show((await sandbox.run('await new Promise((r) => setTimeout(r, 100)); return 1', runOptions())).value)
       show((await sandbox.run('2', runOptions())).value)`,
    )

    expect(await runProgram(program)).toEqual({ stdout: '1\n2\n', stderr: '' })
  })

  test('says nothing of how TypeScript is run, but keeps its own warnings', async () => {
    const program = await writeProgram(
      'warns.mjs',
      `show((await sandbox.run('const a: number = 3; return a', runOptions({ language: 'ts' }))).value)
       process.emitWarning('one of its own')`,
    )

    const { stdout, stderr } = await runProgram(program)

    expect(stdout).toBe('3\n')
    expect(stderr).toContain('one of its own')
    expect(stderr).not.toMatch(/stripTypeScriptTypes|ExperimentalWarning/)
  })

  test('runs the same when it is bundled as the command line is', async () => {
    const entry = await writeProgram(
      'entry.mjs',
      `const code = 'const a: number = 4; console.log(a); try { await tools.test.nope() } catch (e) { return e.message }'
       show(await sandbox.run(code, runOptions()))`,
    )
    const out = join(folder, 'bundle')
    await build({
      entryPoints: { bin: entry, worker: sources.worker },
      outdir: out,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      minifyWhitespace: true,
      minifySyntax: true,
      logLevel: 'silent',
    })

    const { stdout, stderr } = await runProgram(join(out, 'bin.js'))

    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'returned',
      value: 'No tool "nope" at server "test". Find one with search("…").',
      logs: [{ text: '4' }],
    })
  })
})
