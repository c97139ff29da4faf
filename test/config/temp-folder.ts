import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface TempFolder extends AsyncDisposable {
  readonly path: string
  /** Writes files by relative path, making their folders; a path that ends in `/` is an empty folder. */
  readonly write: (files: Readonly<Record<string, string>>) => Promise<void>
}

/** A real folder for one test, gone at the end of its scope. */
export async function tempFolder(): Promise<TempFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'capstan-config-')))
  return {
    path,
    write: async (files) => {
      for (const [name, text] of Object.entries(files)) {
        const file = join(path, name)
        await mkdir(name.endsWith('/') ? file : dirname(file), { recursive: true })
        if (!name.endsWith('/')) await writeFile(file, text)
      }
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
