import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Command, CommandContext, GlobalFlags, Io } from '../../src/cli/command.ts'
import { loadConfig } from '../../src/config/load.ts'
import { readTrust, standingOf, trustFile } from '../../src/config/trust.ts'
import type { Config } from '../../src/config/types.ts'
import { tempFolder, type TempFolder } from '../config/temp-folder.ts'
import { person, type PersonOptions } from './person.ts'

export interface Run extends Pick<PersonOptions, 'isAtTerminal' | 'types'> {
  readonly env?: Readonly<Record<string, string>>
  /** Below the workbench's folder; the project's root when absent. */
  readonly cwd?: string
  readonly flags?: Partial<GlobalFlags>
  /** What the command sees instead of the files. */
  readonly config?: Config
}

export interface Outcome {
  readonly code: number
  readonly printed: string
  readonly said: string
}

export interface Workbench extends TempFolder {
  readonly userFile: string
  readonly projectFile: string
  readonly trustFile: string
  /** Runs a verb as `main` would, with these words behind it. */
  readonly run: (command: Command, words: readonly string[], options?: Run) => Promise<Outcome>
}

/** A home and a project (a repository) of its own, in a real folder, to run commands in. */
export async function workbench(): Promise<Workbench> {
  const folder = await tempFolder()
  const home = join(folder.path, 'home')
  const project = join(folder.path, 'project')
  await Promise.all([mkdir(home), mkdir(join(project, '.git'), { recursive: true })])
  return {
    ...folder,
    userFile: join(home, '.config', 'capstan', 'mcp.json'),
    projectFile: join(project, '.mcp.json'),
    trustFile: join(home, '.local', 'state', 'capstan', 'trust.json'),
    run: async (command, words, { env = {}, cwd = 'project', flags, config, ...typing } = {}) => {
      const somebody = person({ ...typing, env: { HOME: home, ...env }, cwd: join(folder.path, cwd) })
      const options = { ...command.options, header: { type: 'string', multiple: true } } as const
      const input = parseArgs({ args: [...words], options, allowPositionals: true })
      const context: CommandContext = {
        io: somebody.io,
        flags: { ...flagsFor(typing.isAtTerminal === true), header: headersIn(input.values), ...flags },
        signal: new AbortController().signal,
        loadConfig: () => (config === undefined ? load(somebody.io) : Promise.resolve(config)),
        openHub: () => Promise.reject(new Error('this command needs no hub')),
        openCatalogue: () => Promise.reject(new Error('this command needs no catalogue')),
      }
      const code = await command.run(context, input)
      return { code, printed: somebody.printed(), said: somebody.said() }
    },
  }
}

function flagsFor(mayAsk: boolean): GlobalFlags {
  return { json: false, config: [], header: [], mayAsk, debug: false, trustProject: false, noDaemon: true }
}

function headersIn(values: Readonly<Record<string, unknown>>): readonly string[] {
  const { header } = values
  return Array.isArray(header) ? header.map(String) : []
}

async function load({ env, cwd }: Io): Promise<Config> {
  const store = await readTrust(trustFile(env))
  return await loadConfig({ env, cwd, trust: (file, name, entry) => standingOf(store, file, name, entry) })
}
