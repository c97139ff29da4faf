import { loadConfig, type LoadOptions } from './load.ts'
import { findOwnTools, withOwnTools } from './own-tools.ts'
import type { Trust } from './standing.ts'
import { readTrust, standingOf, trustFile } from './trust.ts'
import type { Config, OwnTool, Surroundings } from './types.ts'

export interface TrustedLoadOptions extends Omit<LoadOptions, 'trust' | 'env' | 'cwd'> {
  /** The environment of the process when absent. */
  readonly env?: LoadOptions['env']
  /** The current folder when absent. */
  readonly cwd?: string
  /** Use the servers of the project's file without asking: for CI. */
  readonly trustProject?: boolean | undefined
}

/** The config of a caller, with the project's servers judged by what the person decided about them. */
export async function loadTrustedConfig({ trustProject, ...given }: TrustedLoadOptions = {}): Promise<Config> {
  const options = { env: process.env, cwd: process.cwd(), ...given }
  const { trust, warnings } = await personsTrust(options.env, trustProject === true)
  const config = await loadConfig({ ...options, trust })
  const isAdhoc = options.adhoc?.stdio !== undefined || options.adhoc?.url !== undefined
  // A server given on the command line is all there is.
  const whole = isAdhoc ? config : await withOwnTools(config, { trust, trustProject: trustProject === true })
  return { ...whole, warnings: [...warnings, ...whole.warnings] }
}

/** The person's own tools as they are now, for a hub that has been open for a while. */
export async function findOwnToolsAgain(
  surroundings: Surroundings,
  options: { readonly trustProject: boolean },
): Promise<readonly OwnTool[]> {
  const { trust } = await personsTrust(surroundings.env, options.trustProject)
  return findOwnTools(surroundings, trust)
}

async function personsTrust(
  env: LoadOptions['env'],
  trustProject: boolean,
): Promise<{ readonly trust: Trust; readonly warnings: readonly string[] }> {
  const store = await readTrust(trustFile(env))
  return {
    trust: (projectFile, name, entry) => (trustProject ? 'trusted' : standingOf(store, projectFile, name, entry)),
    warnings: store.warnings,
  }
}
