import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command as library } from '../../../../src/cli/commands/library.ts'
import { workbench, type Outcome, type Run, type Workbench } from '../../workbench.ts'

export interface Shelf extends Workbench {
  /** `capstan library …` in the project's folder. */
  readonly library: (words: readonly string[], options?: Run) => Promise<Outcome>
  /** The same with `--json`, parsed. */
  readonly json: (words: readonly string[], options?: Run) => Promise<unknown>
  readonly read: (path: string) => Promise<string>
}

/** A home without prompts of its own, and a project, to keep a library in. */
export async function shelf(): Promise<Shelf> {
  const bench = await workbench()
  return {
    ...bench,
    library: async (words, options) => await bench.run(library, words, options),
    json: async (words, options = {}) => {
      const { printed } = await bench.run(library, words, { ...options, flags: { ...options.flags, json: true } })
      return JSON.parse(printed)
    },
    read: async (path) => await readFile(join(bench.path, path), 'utf8'),
  }
}
