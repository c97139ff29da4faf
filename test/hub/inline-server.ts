import type { FixtureEntry } from '../fixtures/fixture.ts'

const rawServer = new URL('../fixtures/servers/raw-server.ts', import.meta.url).href

/** A server for one test: a short program around `serveRaw`. Entries are filled in, so the program may hold no `${…}`. */
export function inlineServer(program: string): FixtureEntry {
  const code = `import { serveRaw } from ${JSON.stringify(rawServer)}\nconst object = { type: 'object' }\n${program}`
  return { command: process.execPath, args: ['--input-type=module-typescript', '--eval', code] }
}
