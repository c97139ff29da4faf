import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeCommandRunner } from '../../src/config/run-command.ts'
import { tempFolder } from './temp-folder.ts'

const env = { PATH: process.env['PATH'], GREETING: 'hello' }
const run = (script: string, limitMs = 10_000) =>
  makeCommandRunner({ env, homeFolder: process.cwd(), limitMs })(`node -e '${script}'`)

test('gives what the program printed, without the newlines at its end', async () => {
  expect(await run('console.log(" a\\n b \\n")')).toEqual({ kind: 'printed', text: ' a\n b ' })
})

test('passes on the environment of the caller and nothing else', async () => {
  expect(await run('console.log(process.env.GREETING, process.env.HOME)')).toEqual({
    kind: 'printed',
    text: 'hello undefined',
  })
})

test('no shell looks at the words', async () => {
  const outcome = await makeCommandRunner({ env, homeFolder: process.cwd() })(
    'node -p "process.argv.slice(1).join()" -- $HOME ; * `id`',
  )

  expect(outcome).toEqual({ kind: 'printed', text: '$HOME,;,*,`id`' })
})

test('a leading ~ is the home folder, and commands run there', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'token.js': 'console.log(process.cwd())' })

  const outcome = await makeCommandRunner({ env, homeFolder: folder.path })('node ~/token.js')

  expect(outcome).toEqual({ kind: 'printed', text: folder.path })
})

test('a failing program is told by its code and last line of stderr, never by its output', async () => {
  expect(await run('console.log("s3cret"); console.error("one\\ntwo\\n"); process.exitCode = 3')).toEqual({
    kind: 'failed',
    reason: 'it ended with code 3: two',
  })
})

test.each([
  ['no-such-program-here x', /there is no program "no-such-program-here" on the PATH/],
  ['node -e ""', /it printed nothing/],
  ['""', /names no program/],
  ['node "', /never closed/],
])('%j fails with the reason', async (text, reason) => {
  const outcome = await makeCommandRunner({ env, homeFolder: process.cwd() })(text)

  expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(reason) as string })
})

test('a program that takes too long is ended, even when a child of its own holds the pipe', async () => {
  const child =
    'require("child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 1500)"], {stdio: "inherit"})'

  expect(await run(`${child}; setTimeout(() => {}, 60000)`, 300)).toEqual({
    kind: 'failed',
    reason: 'it took longer than 0.3 s',
  })
})

test('a program that prints without end is stopped', async () => {
  const outcome = await run('for (;;) require("fs").writeSync(1, "x".repeat(65536))')

  expect(outcome).toEqual({ kind: 'failed', reason: 'it printed more than 1 MiB' })
})

test('the same text runs once, also for callers at the same time', async () => {
  await using folder = await tempFolder()
  const command = `node -e 'fs.appendFileSync("runs", "x"); console.log(1)'`
  const runner = makeCommandRunner({ env, homeFolder: folder.path })

  await Promise.all([runner(command), runner(command)])
  await runner(command)

  expect(await readFile(join(folder.path, 'runs'), 'utf8')).toBe('x')
})

test('a failure is not remembered', async () => {
  await using folder = await tempFolder()
  const command = 'node ~/later.js'
  const runner = makeCommandRunner({ env, homeFolder: folder.path })

  const first = await runner(command)
  await folder.write({ 'later.js': 'console.log("now")' })

  expect(first.kind).toBe('failed')
  expect(await runner(command)).toEqual({ kind: 'printed', text: 'now' })
})
