import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testLibrary, textOf, type TestLibrary } from './library.ts'

const programs = { writer: programPath('writes-prompts.ts'), reader: programPath('reads-prompts.ts') }
const seconds = 20

function programPath(name: string): string {
  return fileURLToPath(new URL(`programs/${name}`, import.meta.url))
}

interface Answered {
  readonly name: string
  readonly text: string
  readonly revision: number
}

/** A place that is always taken: who is killed is replaced at once. */
interface Seat {
  readonly output: () => string
  readonly complaints: () => string
  kill(): Promise<void>
  replace(): void
}

test('eight writers and two readers that are killed at random lose nothing that was answered', async () => {
  await using library = await testLibrary()
  const seats = [
    ...Array.from({ length: 8 }, (_, index) => takeSeat(programs.writer, [library.file, `w${index}`])),
    ...Array.from({ length: 2 }, () => takeSeat(programs.reader, [library.file])),
  ]
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    await delay(100 + Math.random() * 300)
    const seat = seats[Math.floor(Math.random() * seats.length)]
    await seat?.kill()
    seat?.replace()
  }
  await Promise.all(seats.map(async (seat) => await seat.kill()))

  const answered = seats.slice(0, 8).flatMap((seat) => answersIn(seat.output()))
  expect(answered.length).toBeGreaterThan(200)
  expect(seats.map((seat) => seat.complaints()).filter((text) => text !== '')).toEqual([])
  expect(await missing(library, answered)).toEqual([])
  expect(await library.open().problems()).toEqual([])
  // The locks of the dead are in nobody's way.
  await library.open().compact()
  expect((await readdir(library.folder)).filter((name) => name.endsWith('.lock'))).toEqual([])
})

async function missing(library: TestLibrary, answered: readonly Answered[]): Promise<readonly Answered[]> {
  const store = library.open()
  const stored = new Set<string>()
  for (const { prompt } of await store.list()) {
    const history = await store.history(prompt.name)
    const revisions = history.map(({ revision }) => revision)
    expect(new Set(revisions).size).toBe(revisions.length)
    for (const { revision, prompt: past } of history)
      if (past !== undefined) stored.add(`${past.name} ${revision} ${textOf(past).slice(0, 40)}`)
  }
  return answered.filter(({ name, revision, text }) => !stored.has(`${name} ${revision} ${text}`))
}

function answersIn(output: string): readonly Answered[] {
  // The last line may have been cut off by the kill.
  const lines = output.split('\n').filter((line) => line.endsWith('}'))
  return lines.map((line) => JSON.parse(line) as Answered)
}

function takeSeat(program: string, args: readonly string[]): Seat {
  let [output, complaints] = ['', '']
  let child = start()
  return {
    output: () => output,
    complaints: () => complaints,
    async kill() {
      if (child.exitCode !== null) {
        complaints += `${program} ended by itself with ${child.exitCode}\n`
        return
      }
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
    replace: () => {
      child = start()
    },
  }

  function start(): ChildProcess {
    const started = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    started.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    started.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
    output += '\n'
    return started
  }
}
