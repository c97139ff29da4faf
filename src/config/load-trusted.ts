import { loadConfig, type LoadOptions } from './load.ts'
import { readTrust, standingOf, trustFile } from './trust.ts'
import type { Config } from './types.ts'

export interface TrustedLoadOptions extends Omit<LoadOptions, 'trust'> {
  /** Use the servers of the project's file without asking: for CI. */
  readonly trustProject?: boolean | undefined
}

/** The config of a caller, with the project's servers judged by what the person decided about them. */
export async function loadTrustedConfig({ trustProject, ...options }: TrustedLoadOptions): Promise<Config> {
  const store = await readTrust(trustFile(options.env))
  const config = await loadConfig({
    ...options,
    trust: (projectFile, name, entry) =>
      trustProject === true ? 'trusted' : standingOf(store, projectFile, name, entry),
  })
  return { ...config, warnings: [...store.warnings, ...config.warnings] }
}
