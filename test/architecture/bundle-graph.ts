import { readFileSync } from 'node:fs'
import type { Metafile } from 'esbuild'

export interface BundleGraph {
  /** The source files that are entries of their own: `bin.ts` and everything that is imported dynamically. */
  readonly entries: readonly string[]
  /** The source files that are loaded, at once and without a dynamic import, when an entry is. */
  readonly loadedBy: (entry: string) => readonly string[]
}

/** The graph of chunks that the build has written down. */
export function readBundleGraph(metafile: string): BundleGraph {
  const { outputs } = JSON.parse(readFileSync(metafile, 'utf8')) as Metafile
  const chunkOf = new Map(Object.entries(outputs).map(([name, output]) => [output.entryPoint, name]))
  return {
    entries: [...chunkOf.keys()].filter((entry) => entry !== undefined),
    loadedBy: (entry) => {
      const first = chunkOf.get(entry)
      if (first === undefined) throw new Error(`The bundle has no entry ${entry}`)
      const chunks = new Set([first])
      for (const chunk of chunks) {
        const imports = outputs[chunk]?.imports ?? []
        for (const { path, kind, external } of imports) {
          if (kind === 'import-statement' && external !== true) chunks.add(path)
        }
      }
      return [...chunks].flatMap((chunk) => Object.keys(outputs[chunk]?.inputs ?? {}))
    },
  }
}

/** The packages among source files, by name. */
export function packagesAmong(files: readonly string[]): readonly string[] {
  const names = files.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(file)?.[1])
  return [...new Set(names.filter((name) => name !== undefined))].sort()
}
