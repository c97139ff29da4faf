import { applyProposal, proposedName, revisionToChange, type Proposal, type ProposedChange } from '../proposals.ts'
import type { Prompt, PromptDraft } from '../prompt.ts'
import { CapstanError, unreachable } from '../../errors.ts'
import type { Library } from './library.ts'
import { dataResult, type ToolCall, type ToolOutcome } from './tool.ts'

/** Does what a client wants, or leaves it to a person, as the server was started. */
export async function changeLibrary(
  { library, by }: ToolCall,
  change: ProposedChange,
  expectedRevision?: number,
): Promise<ToolOutcome> {
  const proposal = await proposalOf(library, change, by)
  const name = proposedName(proposal)
  if (library.writing === 'propose') {
    checkStillThere(name, proposal.from, expectedRevision)
    await library.proposals.add([proposal])
    return dataResult({ status: 'proposed', name, message: `${describe(change)} is proposed. ${waiting}` })
  }
  await applyProposal(library.store, proposal, expectedRevision ?? proposal.from)
  const isThere = await library.store.has(name)
  const revision = isThere ? (await library.store.get(name)).revision : undefined
  return dataResult({
    status: 'saved',
    name,
    ...(revision === undefined ? {} : { revision }),
    message: `${describe(change)} is saved.`,
  })
}

export const waiting = 'It waits for a person, who decides with: capstan review'

export async function proposalOf({ store }: Library, change: ProposedChange, by: string): Promise<Proposal> {
  const name = change.kind === 'put' ? change.prompt.name : change.name
  const from = await revisionToChange(store, name)
  if (from === 0 && change.kind !== 'put') {
    throw new CapstanError('not_allowed', `Prompt "${name}" is built in: it can be replaced, but not changed.`, {
      next: 'Put a prompt of the same name over it with update_prompt.',
    })
  }
  return { change, by, at: new Date().toISOString(), from }
}

/** The prompt that a change is made to: what is already proposed for it, else what is stored. */
export async function promptToChange({ store, proposals }: Library, name: string): Promise<Prompt | PromptDraft> {
  const proposed = (await proposals.list()).find(
    (proposal) => proposal.change.kind === 'put' && proposedName(proposal) === name,
  )
  if (proposed?.change.kind === 'put') return proposed.change.prompt
  return (await store.get(name)).prompt
}

function checkStillThere(name: string, from: number, expected: number | undefined): void {
  if (expected === undefined || expected === from) return
  throw new CapstanError('prompt_conflict', `Prompt "${name}" is at revision ${from}, not ${expected}.`, {
    next: 'Look at what it says now, then make your change again.',
  })
}

function describe(change: ProposedChange): string {
  switch (change.kind) {
    case 'put':
      return `Prompt "${change.prompt.name}"`
    case 'remove':
      return `The removal of prompt "${change.name}"`
    case 'label':
      return `Label "${change.label}" at revision ${change.revision} of prompt "${change.name}"`
    case 'unlabel':
      return `The removal of label "${change.label}" from prompt "${change.name}"`
    default:
      return unreachable(change)
  }
}
