import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { places } from '../files/places.ts'
import type { CallRecord } from '../hub/call-log.ts'
import type { Io } from './command.ts'

/** Where calls are kept, the older file first. */
export function callFiles({ env }: Pick<Io, 'env'>): readonly string[] {
  const file = join(places(env).state, 'calls.jsonl')
  return [`${file}.old`, file]
}

/** The calls that are kept, the oldest first. */
export async function readCalls(files: readonly string[]): Promise<readonly CallRecord[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  return texts.flatMap((text) => text.split('\n')).flatMap(parseRecord)
}

/** A line that was cut off by a crash is left out. */
function parseRecord(line: string): readonly CallRecord[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as CallRecord]
  } catch {
    return []
  }
}
