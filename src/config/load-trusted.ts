import { loadConfig, type LoadOptions } from './load.ts'
import { readTrust, standingOf, trustFile } from './trust.ts'
import type { Config } from './types.ts'

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
  const store = await readTrust(trustFile(options.env))
  const config = await loadConfig({
    ...options,
    trust: (projectFile, name, entry) =>
      trustProject === true ? 'trusted' : standingOf(store, projectFile, name, entry),
  })
  return { ...config, warnings: [...store.warnings, ...config.warnings] }
}
