import { existsSync, readFileSync } from 'node:fs'
import { fixture, type FixtureEntry } from '../fixtures/fixture.ts'

/** The echo server, with a line appended to the file at each start: proof that it was started, or that it was not. */
export function traced(file: string, args: readonly string[] = []): FixtureEntry {
  const { command, args: program } = fixture('echo')
  const note = `import{appendFileSync}from'node:fs';appendFileSync(${JSON.stringify(file)},'started\\n')`
  return { command, args: ['--import', `data:text/javascript,${encodeURIComponent(note)}`, ...program, ...args] }
}

/** How often a traced server was started. */
export function startsIn(file: string): number {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0
}
