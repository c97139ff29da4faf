import { createHash } from 'node:crypto'
import { readTextFile } from './read-text.ts'
import { readTrust, recordDecisions, standingOf, trustFile, type Decision, type TrustStanding } from './trust.ts'
import type { RawEntry } from './types.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The file of prompts that a project brought along, and what the person thinks of it. */
export interface ProjectPrompts {
  readonly file: string
  readonly standing: TrustStanding | 'absent'
  /** What an approval is of: the file as it is now. */
  readonly entry: RawEntry
}

/** How a project's file of prompts stands with the person. */
export async function projectPromptsIn(file: string, env: Environment): Promise<ProjectPrompts> {
  const text = await readTextFile(file)
  if (text === undefined) return { file, standing: 'absent', entry: {} }
  const entry = { sha256: createHash('sha256').update(text).digest('hex') }
  return { file, standing: standingOf(await readTrust(trustFile(env)), file, trustName, entry), entry }
}

export async function decideOnPrompts(
  env: Environment,
  { file, entry, standing }: ProjectPrompts,
  decision: Decision,
): Promise<void> {
  if (standing === 'absent' || standing === decision) return
  await recordDecisions(trustFile(env), [{ projectFile: file, name: trustName, entry, decision }])
}

/** Approvals are kept by file and by the name of a server in it; this file has no servers. */
const trustName = 'prompts'
