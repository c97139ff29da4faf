import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SkillFileEntry, SkillFiles } from '@modelcontextprotocol/server/ext/skills'
import { nodeSkillFiles } from '@modelcontextprotocol/server/ext/skills/node'
import { hasCode } from '../../files/atomic-write.ts'
import { skillFolders } from '../formats/skill.ts'
import type { Prompt } from '../prompt.ts'
import type { PromptStore } from '../store.ts'
import type { ServerLog } from './server-log.ts'

/** A prompt with steps, or one that was a skill before it came into the library. */
export function isRunbook({ steps = [], meta }: Prompt): boolean {
  return steps.length > 0 || meta?.['skill'] !== undefined
}

export interface RunbookSources {
  readonly store: PromptStore
  /** Folders of skills, the strongest first; those that do not exist do not count. */
  readonly folders: readonly string[]
  readonly log: ServerLog
}

/**
 * All runbooks as one tree of files: the skills in folders as they are, and those of the library written as skills. Where two
 * have the same name, a folder wins.
 */
export function runbookFiles({ store, folders, log }: RunbookSources): SkillFiles {
  const roots = folders.map((folder) => nodeSkillFiles(folder))
  let owners: ReadonlyMap<string, SkillFiles> = new Map()

  return {
    async list(dir) {
      if (dir !== '') return await ownerOf(dir).list(dir)
      // A walk begins: what there is may have changed since the last one.
      const generated = textTree(await writtenRunbooks(store))
      const found = new Map<string, { readonly owner: SkillFiles; readonly entry: SkillFileEntry }>()
      for (const owner of [generated, ...roots.toReversed()]) {
        for (const entry of await entriesOf(owner)) found.set(entry.name, { owner, entry })
      }
      owners = new Map(Array.from(found, ([name, { owner }]) => [name, owner]))
      return Array.from(found.values(), ({ entry }) => entry)
    },
    async read(path) {
      try {
        return await ownerOf(path).read(path)
      } catch (error) {
        log.failure(`reading ${path} of a runbook`, error)
        // The message may reach a client, and must not say where the file is.
        throw new Error('it cannot be read', { cause: error })
      }
    },
  }

  function ownerOf(path: string): SkillFiles {
    const owner = owners.get(path.split('/')[0] ?? '')
    if (owner === undefined) throw new Error(`no runbook has a file ${path}`)
    return owner
  }

  async function entriesOf(owner: SkillFiles): Promise<readonly SkillFileEntry[]> {
    try {
      return (await owner.list('')).filter(({ kind }) => kind === 'directory')
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) log.failure('listing a folder of runbooks', error)
      return []
    }
  }
}

async function writtenRunbooks(store: PromptStore): Promise<ReadonlyMap<string, string>> {
  const prompts = (await store.list()).map(({ prompt }) => prompt).filter(isRunbook)
  return new Map(skillFolders.write(prompts).files.map(({ path, text }) => [path, text]))
}

function textTree(files: ReadonlyMap<string, string>): SkillFiles {
  return {
    async list(dir) {
      const prefix = dir === '' ? '' : `${dir}/`
      const below = [...files.keys()].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length))
      const kinds = new Map(
        below.map((path) => [path.split('/')[0] ?? path, path.includes('/') ? 'directory' : 'file'] as const),
      )
      return Array.from(kinds, ([name, kind]) => ({ name, kind }))
    },
    async read(path) {
      const text = files.get(path)
      if (text === undefined) throw new Error(`there is no ${path}`)
      return new TextEncoder().encode(text)
    },
  }
}

/** Changes whenever a file below the folders does; for looking often, without reading. */
export async function stampOfFolders(folders: readonly string[]): Promise<string> {
  const stamps = await Promise.all(folders.map(stampOfFolder))
  return stamps.join('\n')
}

async function stampOfFolder(folder: string): Promise<string> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    const stamps = await Promise.all(
      files.map(async (file) => {
        const { size, mtimeMs } = await stat(file)
        return `${file}:${size}:${mtimeMs}`
      }),
    )
    return stamps.sort().join('\n')
  } catch {
    return '' // Not there, or just going: the next look tells.
  }
}
