import { readFile } from 'node:fs/promises'
import { CapstanError, messageOf, unreachable } from '../errors.ts'
import { hasCode, writeFileAtomic } from '../files/atomic-write.ts'
import { withLock } from '../files/lock.ts'
import type { PromptDraft } from './prompt.ts'
import { readPrompt } from './read-prompt.ts'
import type { PromptStore } from './store.ts'
import { isObject } from '../json.ts'

/** A change of the library that somebody wants and a person has to allow. */
export type ProposedChange =
  | { readonly kind: 'put'; readonly prompt: PromptDraft }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'label'; readonly name: string; readonly label: string; readonly revision: number }
  | { readonly kind: 'unlabel'; readonly name: string; readonly label: string }

export interface Proposal {
  readonly change: ProposedChange
  /** ISO 8601. */
  readonly at: string
  /** Who wants it, such as the name of an MCP client. */
  readonly by: string
  /** The revision that it was made from; 0 where there was none. */
  readonly from: number
}

/** Changes that wait for a person. There is at most one for each prompt, and one for each of its labels: the newest. */
export interface Proposals {
  list(): Promise<readonly Proposal[]>
  add(proposals: readonly Proposal[]): Promise<void>
  /** Forgets these, unless they have been replaced meanwhile. */
  drop(proposals: readonly Proposal[]): Promise<void>
}

/** Beyond that, whoever proposes does not mean a person to read it. */
const maxWaiting = 1000

/** Kept in one small file beside the prompts. */
export function openProposals(file: string): Proposals {
  return {
    list: async () => await read(file),
    add: async (added) => {
      await change(file, (waiting) => {
        const keys = new Set(added.map(keyOf))
        const all = [...waiting.filter((proposal) => !keys.has(keyOf(proposal))), ...added]
        if (all.length <= maxWaiting) return all
        throw new CapstanError('limit_exceeded', `More than ${maxWaiting} proposals would wait for a person.`, {
          next: 'Somebody has to look at those that wait first: capstan review',
        })
      })
    },
    drop: async (dropped) => {
      const gone = new Set(dropped.map(identityOf))
      await change(file, (waiting) => waiting.filter((proposal) => !gone.has(identityOf(proposal))))
    },
  }
}

export function proposedName({ change }: Proposal): string {
  return change.kind === 'put' ? change.prompt.name : change.name
}

/** The revision that a change of this prompt starts from, 0 for none: a built-in prompt is not changed, a new one takes its place. */
export async function revisionToChange(store: PromptStore, name: string): Promise<number> {
  if (!(await store.has(name))) return 0
  const [found, layers] = await Promise.all([store.get(name), store.layers()])
  return layers.find((layer) => layer.name === found.layer)?.isWritable === true ? found.revision : 0
}

/** Does what was proposed. The person has seen the prompt at `seenRevision`; if it has moved on since, nothing happens. */
export async function applyProposal(store: PromptStore, { change, by }: Proposal, seenRevision: number): Promise<void> {
  const write = { by, expectedRevision: seenRevision }
  switch (change.kind) {
    case 'put':
      await store.put(change.prompt, write)
      return
    case 'remove':
      await store.remove(change.name, write)
      return
    case 'label':
      await store.label(change.name, change.label, { by, revision: change.revision })
      return
    case 'unlabel':
      await store.unlabel(change.name, change.label, { by })
      return
    default:
      unreachable(change)
  }
}

async function change(file: string, next: (waiting: readonly Proposal[]) => readonly Proposal[]): Promise<void> {
  await storing(file, async () => {
    await withLock(file, async () => {
      const waiting = await read(file)
      const left = next(waiting)
      if (left.length === 0 && waiting.length === 0) return
      await writeFileAtomic(file, `${JSON.stringify({ proposals: left }, undefined, 2)}\n`, { mode: 0o600 })
    })
  })
}

async function read(file: string): Promise<readonly Proposal[]> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (!isObject(value) || !Array.isArray(value['proposals'])) throw new Error('it holds no list of proposals')
    return value['proposals'].map(readProposal)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw new CapstanError('storage_failed', `${file} cannot be read: ${messageOf(error)}.`, {
      cause: error,
      next: `Mend the file, or move it away: only proposals that nobody has decided on are lost.`,
    })
  }
}

function readProposal(value: unknown): Proposal {
  if (!isObject(value) || !isObject(value['change'])) throw new Error('a proposal must be an object with a change')
  const { at, by, from } = value
  if (typeof at !== 'string' || typeof by !== 'string' || typeof from !== 'number') {
    throw new Error('a proposal must say when, by whom and from which revision')
  }
  return { change: readChange(value['change']), at, by, from }
}

function readChange(change: Readonly<Record<string, unknown>>): ProposedChange {
  const { kind, name, label, revision } = change
  if (kind === 'put') return { kind, prompt: readPrompt(change['prompt']) }
  if (typeof name !== 'string') throw new Error('a proposal must name its prompt')
  if (kind === 'remove') return { kind, name }
  if (typeof label === 'string' && kind === 'unlabel') return { kind, name, label }
  if (typeof label === 'string' && kind === 'label' && typeof revision === 'number')
    return { kind, name, label, revision }
  throw new Error(`a proposal of kind ${JSON.stringify(kind)} is unknown`)
}

/** What a newer proposal takes the place of. */
function keyOf(proposal: Proposal): string {
  const { change } = proposal
  const label = change.kind === 'label' || change.kind === 'unlabel' ? change.label : undefined
  return JSON.stringify([proposedName(proposal), label])
}

function identityOf(proposal: Proposal): string {
  return JSON.stringify([keyOf(proposal), proposal.at, proposal.by])
}

async function storing(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof CapstanError) throw error
    throw new CapstanError('storage_failed', `${file} cannot be written: ${messageOf(error)}.`, { cause: error })
  }
}
