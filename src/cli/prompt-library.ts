import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { findProject } from '../config/project.ts'
import { readTextFile } from '../config/read-text.ts'
import { loadSettings, loadSettingsFile } from '../config/settings.ts'
import { readTrust, recordDecisions, standingOf, trustFile, type TrustStanding } from '../config/trust.ts'
import type { RawEntry } from '../config/types.ts'
import { homeFolder, places } from '../files/places.ts'
import { openLibrary, type LibrarySettings, type OpenedLibrary } from '../prompts/open-library.ts'
import { projectPromptsFile } from '../prompts/prompt-layers.ts'
import type { GlobalFlags, Io } from './command.ts'

/** A person's library as one command sees it. */
export interface PromptLibrary extends OpenedLibrary, AsyncDisposable {
  readonly settings: LibrarySettings
  /** What a person should know about the settings. */
  readonly warnings: readonly string[]
  /** The prompts of the project that nobody has approved yet, and that are left out for that reason. */
  readonly waiting?: ProjectPrompts
  /** To be called after writing to the project's layer: what this person has written needs no approval. */
  readonly approveOwnChange: () => Promise<void>
}

/** The file of prompts that a project brought along, and what the person thinks of it. */
export interface ProjectPrompts {
  readonly root: string
  readonly file: string
  readonly standing: TrustStanding | 'absent'
  /** What an approval is of: the file as it is now. */
  readonly entry: RawEntry
}

type Surroundings = Pick<Io, 'env' | 'cwd'>

interface LibraryFlags extends Pick<GlobalFlags, 'trustProject'> {
  readonly promptsDir?: string | undefined
  /** A TOML file in place of the usual ones. */
  readonly settingsFile?: string | undefined
}

/** Opens the library of this person in this folder. The project's prompts are part of it once they are approved. */
export async function openPromptLibrary(
  { env, cwd }: Surroundings,
  { promptsDir, settingsFile, trustProject }: LibraryFlags,
): Promise<PromptLibrary> {
  const project = await findProject(cwd, homeFolder(env))
  const [{ settings, warnings }, prompts] = await Promise.all([
    settingsFile === undefined
      ? loadSettings({ config: places(env).config, project: project.root }, readTextFile)
      : loadSettingsFile(resolve(cwd, settingsFile), readTextFile),
    projectPrompts({ env, cwd }),
  ])
  const isUsed = trustProject || prompts.standing === 'trusted' || prompts.standing === 'absent'
  const opened = openLibrary({
    env,
    promptsDir,
    currentFolder: cwd,
    settings: settings.prompts,
    ...(isUsed ? { projectRoot: project.root } : {}),
  })
  return {
    ...opened,
    settings: settings.prompts ?? {},
    warnings,
    ...(isUsed ? {} : { waiting: prompts }),
    approveOwnChange: async () => await decideOnPrompts(env, await projectPrompts({ env, cwd }), 'trusted'),
    [Symbol.asyncDispose]: async () => await opened.store[Symbol.asyncDispose](),
  }
}

/** The prompts of the project that this folder belongs to, as they stand with the person. */
export async function projectPrompts({ env, cwd }: Surroundings): Promise<ProjectPrompts> {
  const { root } = await findProject(cwd, homeFolder(env))
  const file = projectPromptsFile(root)
  const text = await readTextFile(file)
  const entry = {
    sha256: createHash('sha256')
      .update(text ?? '')
      .digest('hex'),
  }
  if (text === undefined) return { root, file, standing: 'absent', entry }
  return { root, file, standing: standingOf(await readTrust(trustFile(env)), file, trustName, entry), entry }
}

export async function decideOnPrompts(
  env: Io['env'],
  { file, entry, standing }: ProjectPrompts,
  decision: 'trusted' | 'refused',
): Promise<void> {
  if (standing === 'absent' || standing === decision) return
  await recordDecisions(trustFile(env), [{ projectFile: file, name: trustName, entry, decision }])
}

/** Approvals are kept by file and by the name of a server in it; this file has no servers. */
const trustName = 'prompts'
