import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LayerPlace } from '../../src/prompts/layer.ts'
import { openPromptStore, type PromptStoreOptions } from '../../src/prompts/open-store.ts'
import type { Prompt } from '../../src/prompts/prompt.ts'
import type { PromptStore } from '../../src/prompts/store.ts'

export interface TestLibrary extends AsyncDisposable {
  readonly folder: string
  readonly file: string
  readonly layers: readonly LayerPlace[]
  /** Another view of the same files, as a second process has it. */
  open(options?: Partial<PromptStoreOptions>): PromptStore
  text(file?: string): Promise<string>
  write(text: string, file?: string): Promise<void>
  append(text: string, file?: string): Promise<void>
}

/** A library in a temporary folder, with a built-in, the user's, a team's and a project's layer. */
export async function testLibrary(builtins: readonly Prompt[] = []): Promise<TestLibrary> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-prompts-'))
  const at = (name: string) => join(folder, name)
  const layers: readonly LayerPlace[] = [
    { name: 'builtin', kind: 'builtin', file: at('default.jsonl'), prompts: builtins },
    { name: 'user', kind: 'user', file: at('user.jsonl') },
    { name: 'team', kind: 'team', file: at('team.jsonl') },
    { name: 'project', kind: 'project', file: at('project.jsonl') },
  ]
  const stores: PromptStore[] = []
  return {
    folder,
    file: at('user.jsonl'),
    layers,
    open: (options = {}) => {
      const store = openPromptStore({ layers, ...options })
      stores.push(store)
      return store
    },
    text: async (file = 'user.jsonl') => await readFile(at(file), 'utf8'),
    write: async (text, file = 'user.jsonl') => await writeFile(at(file), text),
    append: async (text, file = 'user.jsonl') => await appendFile(at(file), text),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(stores.map(async (store) => await store[Symbol.asyncDispose]()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What a store offers now, as name → first text. */
export async function textsOf(store: PromptStore): Promise<Readonly<Record<string, string>>> {
  const list = await store.list()
  return Object.fromEntries(list.map(({ prompt }) => [prompt.name, textOf(prompt)]))
}

export function textOf({ messages: [first] }: Prompt): string {
  return first?.content.type === 'text' ? first.content.text : ''
}
