import type { Config } from '../config/types.ts'
import type { BuiltinServer } from '../hub/servers/setup.ts'
import type { LibraryOptions } from '../prompts/open-library.ts'

/** The servers that come with Capstan, for whoever opens a hub over this config. Nothing of them is loaded until one is used. */
export function builtinServers(config: Config, trustProject: boolean): readonly BuiltinServer[] {
  const options = () => libraryOptions(config, trustProject)
  return [
    {
      name: 'prompts',
      description: 'Your prompt library',
      open: async (hooks) => (await load()).openInHub(await options(), hooks),
      list: async (kind) => await (await load()).listInHub(await options(), kind),
      suggest: async (prompt, argument) => await (await load()).suggestInHub(await options(), prompt, argument),
    },
  ]
}

/** Their names, for what needs no config. */
export const builtinNames: readonly string[] = ['prompts']

function load() {
  return import('../prompts/in-hub.ts')
}

/** The library of the caller: their folder, their settings, and the project's prompts only once they approved them. */
async function libraryOptions({ settings, surroundings }: Config, trustProject: boolean): Promise<LibraryOptions> {
  const { env, currentFolder, workspaceFolder } = surroundings
  const [{ projectPromptsFile }, { projectPromptsIn }] = await Promise.all([
    import('../prompts/prompt-layers.ts'),
    import('../config/project-prompts.ts'),
  ])
  const { standing } = await projectPromptsIn(projectPromptsFile(workspaceFolder), env)
  const isUsed = trustProject || standing === 'trusted'
  return {
    env,
    currentFolder,
    keepsCopy: false,
    settings: settings.prompts,
    ...(isUsed ? { projectRoot: workspaceFolder } : {}),
  }
}
