import { resolve } from 'node:path'
import { decideOnPrompts, projectPromptsIn, type ProjectPrompts } from '../config/project-prompts.ts'
import { findProject } from '../config/project.ts'
import { readTextFile } from '../config/read-text.ts'
import { loadSettings, loadSettingsFile } from '../config/settings.ts'
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
  return await projectPromptsIn(projectPromptsFile(root), env)
}
