import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** How Capstan is started as a program of its own: for a daemon, or a gateway that somebody else starts. */
export function ownProgram(): readonly [string, string] {
  return [nodeProgram(), fileURLToPath(places.map((place) => new URL(place, import.meta.url)).find(existsSync) ?? '')]
}

/** From the bundled command line, from the library, and from the sources. */
const places = ['./bin.js', '../../cli/bin.js', '../cli/bin.ts']

/** Whoever uses us may have been compiled into a program of its own, which is no Node. */
function nodeProgram(): string {
  const { bun, electron } = process.versions
  const isNode = bun === undefined && electron === undefined && !isSingleExecutable()
  return isNode ? process.execPath : 'node'
}

function isSingleExecutable(): boolean {
  return process.getBuiltinModule('node:sea').isSea()
}
