import { rm } from 'node:fs/promises'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './makers.ts'

/** A folder that goes with the test that asked for it. */
export async function scratchFolder(): Promise<string> {
  const folder = await temporaryFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
