import { SkillsExtension, type SkillCatalog, type SkillFiles } from '@modelcontextprotocol/server/ext/skills'
import { CapstanError } from '../../errors.ts'
import { runbookFiles, stampOfFolders, type RunbookSources } from './runbook-files.ts'

/** A runbook as clients see it: a skill of the skills extension, whose files are resources. */
export interface Runbook {
  readonly name: string
  readonly description: string
  /** The resource with its text. */
  readonly uri: string
  /** All its files, below its folder. */
  readonly files: readonly string[]
}

export interface Runbooks extends Disposable {
  readonly catalog: SkillCatalog
  readonly list: () => readonly Runbook[]
  readonly find: (name: string) => Runbook
  readonly read: (runbook: Runbook, file: string) => Promise<string>
}

const lookAgainMs = 2000

/** Builds the catalogue of runbooks and keeps it up to date; clients that listen are told by the SDK. */
export async function openRunbooks(sources: RunbookSources): Promise<Runbooks> {
  const { store, folders, log } = sources
  const files = runbookFiles(sources)
  const catalog = await SkillsExtension.load(files, {
    onWarning: ({ path, message }) => log.note(`runbook ${path}: ${message}`),
  })
  const reload = () => void catalog.reload().catch((error: unknown) => log.failure('reading the runbooks again', error))
  const listening = store.onChange(reload)
  let stamp = await stampOfFolders(folders)
  const looking = setInterval(() => void look(), lookAgainMs).unref()

  const list = () => catalog.entries.map(runbookOf)
  return {
    catalog,
    list,
    find(name) {
      // Agents take the name from the list of prompts as often as from that of runbooks.
      const found = list().find((runbook) => runbook.name === name.replaceAll('_', '-'))
      if (found !== undefined) return found
      const names = list().map((runbook) => runbook.name)
      throw new CapstanError('resource_unknown', `There is no runbook "${name}".`, {
        next: names.length === 0 ? 'There are none at all.' : `There are: ${names.slice(0, 50).join(', ')}.`,
      })
    },
    read: async (runbook, file) => await readText(files, runbook, file),
    [Symbol.dispose]() {
      clearInterval(looking)
      listening[Symbol.dispose]()
    },
  }

  async function look(): Promise<void> {
    const now = await stampOfFolders(folders)
    if (now === stamp) return
    stamp = now
    reload()
  }
}

function runbookOf({ uri, frontmatter, resources }: SkillCatalog['entries'][number]): Runbook {
  const folder = uri.slice(0, -'SKILL.md'.length)
  const uris = Array.isArray(resources) ? resources.map((resource) => resource.uri) : [uri]
  const files = uris.map((file) => decodeURIComponent(file.slice(folder.length)))
  return { name: frontmatter.name, description: frontmatter.description, uri, files }
}

async function readText(files: SkillFiles, runbook: Runbook, file: string): Promise<string> {
  if (!runbook.files.includes(file)) {
    throw new CapstanError('resource_unknown', `Runbook "${runbook.name}" has no file "${file.slice(0, 80)}".`, {
      next: `It has: ${runbook.files.join(', ')}.`,
    })
  }
  const folder = decodeURIComponent(runbook.uri.slice('skill://'.length, -'SKILL.md'.length))
  const bytes = await files.read(`${folder}${file}`)
  return new TextDecoder().decode(bytes)
}
