import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { places } from './places.ts'

const dayMs = 24 * 3600 * 1000

/** Writes down the whole of an output that is shown in part only, for a day. Gives the file. */
export async function keepOutput(text: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const folder = join(places(env).state, 'outputs')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeOld(folder)
  const file = join(folder, `${randomBytes(4).toString('hex')}.txt`)
  await writeFile(file, text, { mode: 0o600 })
  return file
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    try {
      const { mtimeMs } = await stat(file)
      if (Date.now() - mtimeMs > dayMs) await rm(file, { force: true })
    } catch {
      // Somebody else removed it first.
    }
  }
}
