import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processStart } from '../../../src/files/process-start.ts'
import { leftovers } from '../../../src/hub/wire/leftovers.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { openTestHub, textOf } from '../makers.ts'
import { scratchFolder } from '../scratch-folder.ts'

const deadHub = `${2 ** 22 + 1} no-such-boot:1\n`

test('what a dead hub left behind is ended, and its file goes', async () => {
  const { folder, noteOf } = await leftoverFolder()
  await using sleeper = await startSleeper()
  noteOf('dead', `${deadHub}${sleeper.pid} ${processStart(sleeper.pid)}\n`)

  const swept = leftovers(folder).sweep()

  await sleeper.gone
  expect(swept).toBe(1)
  expect(readdirSync(folder)).toEqual([])
})

test('a process that only has the id of one of ours is left alone', async () => {
  const { folder, noteOf } = await leftoverFolder()
  await using sleeper = await startSleeper()
  const [boot] = processStart(sleeper.pid).split(':')
  noteOf('wrong-start', `${deadHub}${sleeper.pid} ${boot}:1\n`)
  noteOf('no-start', `${deadHub}${sleeper.pid} \n${sleeper.pid}\n`)

  const swept = leftovers(folder).sweep()

  expect(swept).toBe(0)
  expect(sleeper.isRunning()).toBe(true)
})

test('the servers of a living hub are left alone', async () => {
  const { folder, noteOf } = await leftoverFolder()
  await using sleeper = await startSleeper()
  const file = noteOf(
    'alive',
    `${process.pid} ${processStart(process.pid)}\n${sleeper.pid} ${processStart(sleeper.pid)}\n`,
  )

  leftovers(folder).sweep()

  expect(sleeper.isRunning()).toBe(true)
  expect(existsSync(file)).toBe(true)
})

test('files of garbage are removed, and nothing is ended for them', async () => {
  const { folder, noteOf } = await leftoverFolder()
  noteOf('empty', '')
  noteOf('words', 'not a pid\n-1 x\n0 \n1 \n')
  noteOf('binary', '\0\0\uFFFD\n'.repeat(100))
  for (let index = 0; index < 200; index++) noteOf(`dead-${index}`, deadHub)

  const swept = leftovers(folder).sweep()

  expect(swept).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})

test('a note names the hub first and is forgotten when its servers have gone', async () => {
  const { folder } = await leftoverFolder()
  const notes = leftovers(folder)

  notes.note(process.pid)
  const other = leftovers(folder).sweep()
  const [file] = readdirSync(folder)
  notes.forget()

  expect(other).toBe(0)
  expect(file).toMatch(new RegExp(`^${process.pid}-.*\\.pids$`))
  expect(readdirSync(folder)).toEqual([])
})

test('a hub works where its folders cannot be written, and says so in the log', async () => {
  const file = join(await scratchFolder(), 'file')
  writeFileSync(file, '')
  await using hub = await openTestHub(
    { one: fixture('echo') },
    { env: { XDG_RUNTIME_DIR: file, XDG_CACHE_HOME: file } },
  )

  const result = await hub.call({ server: 'one', tool: 'echo' }, { message: 'still here' })

  expect(textOf(result)).toBe('still here')
  const hubLines = (await hub.logs('one')).filter((line) => line.source === 'hub').map((line) => line.text)
  expect(hubLines).toEqual(
    expect.arrayContaining([
      expect.stringContaining('could not be noted'),
      expect.stringContaining('could not be remembered'),
    ]),
  )
})

async function leftoverFolder() {
  const folder = join(await scratchFolder(), 'servers')
  mkdirSync(folder)
  const noteOf = (name: string, text: string): string => {
    const file = join(folder, `${name}.pids`)
    writeFileSync(file, text)
    return file
  }
  return { folder, noteOf }
}

/** The leader of its own group, as our servers are. */
async function startSleeper() {
  const child: ChildProcess = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  const gone = once(child, 'exit')
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    gone,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
