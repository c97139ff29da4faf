import { CapstanError, unreachable } from '../errors.ts'
import { closest } from '../hub/catalogue/names.ts'
import { diffPrompts, diffText } from '../prompts/diff-prompts.ts'
import { applyProposal, openProposals, proposedName, revisionToChange, type Proposal } from '../prompts/proposals.ts'
import type { StoredPrompt } from '../prompts/store.ts'
import { ask } from './ask.ts'
import type { CommandContext, CommandInput } from './command.ts'
import { revealedText } from '../policy/plain-text.ts'
import { openPromptLibrary, type PromptLibrary } from './prompt-library.ts'

/** A change of the person's prompts that an agent proposes. */
export interface ReviewedProposal {
  /** What the person types for it: `prompts:NAME`. */
  readonly name: string
  /** Whose wish it is, and what would change. */
  readonly lines: readonly string[]
  readonly proposal: Proposal
  /** What the person has seen: if the prompt moves on before they decide, nothing happens. */
  readonly seenRevision: number
}

export async function waitingProposals(
  { io, flags }: CommandContext,
  { values }: CommandInput,
): Promise<readonly ReviewedProposal[]> {
  await using library = await open({ io, flags }, values)
  const proposals = await openProposals(library.proposalsFile).list()
  return await Promise.all(proposals.map(async (proposal) => await reviewed(library, proposal)))
}

/** Decides on the prompts that the command line names; undefined when it names none. */
export async function decideByName(
  context: CommandContext,
  input: CommandInput,
): Promise<readonly string[] | undefined> {
  const names = input.positionals.filter((word) => word.startsWith('prompts:'))
  if (names.length === 0) return undefined
  if (names.length < input.positionals.length)
    throw new CapstanError('usage', 'Approve servers and decide on prompts in two commands.')
  const waiting = await waitingProposals(context, input)
  const stranger = names.find((name) => !waiting.some((one) => one.name === name))
  if (stranger !== undefined) throw unknownProposal(stranger, waiting)
  const chosen = waiting.filter(({ name }) => names.includes(name))
  await decide(context, input, { chosen, isApproved: input.values['decline'] !== true })
  return [...new Set(names)]
}

/** `--all` means these too. */
export async function decideOnAll(context: CommandContext, input: CommandInput): Promise<readonly string[]> {
  if (input.values['all'] !== true) return []
  const chosen = await waitingProposals(context, input)
  await decide(context, input, { chosen, isApproved: true })
  return chosen.map(({ name }) => name)
}

async function decide(
  { io, flags }: CommandContext,
  { values }: CommandInput,
  { chosen, isApproved }: { readonly chosen: readonly ReviewedProposal[]; readonly isApproved: boolean },
): Promise<void> {
  if (chosen.length === 0) return
  await using library = await open({ io, flags }, values)
  const proposals = openProposals(library.proposalsFile)
  for (const { proposal, seenRevision } of chosen) {
    if (isApproved) await applyProposal(library.store, proposal, seenRevision)
    await proposals.drop([proposal])
  }
}

/** Asks about each in turn; one may be left for later. */
export async function decideWithPerson(context: CommandContext, input: CommandInput): Promise<readonly string[]> {
  const { io, signal } = context
  const decided: string[] = []
  for (const one of await waitingProposals(context, input)) {
    io.err(`\n${one.lines.join('\n')}\n`)
    const answer = await ask(io, 'Allow it?', { choices: ['yes', 'no', 'later'], signal })
    if (answer === 'later') continue
    await decide(context, input, { chosen: [one], isApproved: answer === 'yes' })
    decided.push(one.name)
  }
  return decided
}

export function proposalsText(waiting: readonly ReviewedProposal[], decided: readonly string[]): string {
  const done = decided.length === 0 ? '' : `Decided: ${decided.map(revealedText).join(', ')}.\n`
  if (waiting.length === 0) return done
  const lines = waiting.flatMap((one) => one.lines).map((line) => `  ${line}\n`)
  const example = waiting[0]?.name ?? ''
  return `${done}Agents propose these changes of your prompts:\n${lines.join('')}Next: capstan review ${example}, or with --decline\n`
}

export function proposalJson({ name, lines, proposal }: ReviewedProposal): Readonly<Record<string, unknown>> {
  const { by, at, change } = proposal
  return { name, kind: change.kind, by, at, lines }
}

async function open(
  { io, flags }: Pick<CommandContext, 'io' | 'flags'>,
  values: CommandInput['values'],
): Promise<PromptLibrary> {
  const promptsDir = typeof values['prompts-dir'] === 'string' ? values['prompts-dir'] : undefined
  return await openPromptLibrary(io, { promptsDir, trustProject: flags.trustProject })
}

async function reviewed({ store }: PromptLibrary, proposal: Proposal): Promise<ReviewedProposal> {
  const name = proposedName(proposal)
  const current = (await store.has(name)) ? await store.get(name) : undefined
  const seenRevision = await revisionToChange(store, name)
  const moved = proposal.from === seenRevision ? '' : '; the prompt has changed since'
  const heading = `prompts:${name}: ${wishOf(proposal, current)}, by ${revealedText(proposal.by)} on ${proposal.at.slice(0, 10)}${moved}`
  return { name: `prompts:${name}`, proposal, seenRevision, lines: [heading, ...differenceOf(proposal, current)] }
}

function wishOf({ change }: Proposal, current: StoredPrompt | undefined): string {
  switch (change.kind) {
    case 'put':
      return current === undefined ? 'a new prompt' : 'a change'
    case 'remove':
      return 'its removal'
    case 'label':
      return `the label ${revealedText(change.label)} for revision ${change.revision}`
    case 'unlabel':
      return `the end of the label ${revealedText(change.label)}`
    default:
      return unreachable(change)
  }
}

/** A model would read what stands invisibly in a prompt, so it is shown. */
function differenceOf({ change }: Proposal, current: StoredPrompt | undefined): readonly string[] {
  if (change.kind === 'label' || change.kind === 'unlabel') return []
  const after = change.kind === 'put' ? change.prompt : undefined
  const lines = diffPrompts(current?.prompt, after).map((line) => `  ${revealedText(diffText([line]))}`)
  return lines.length === 0 ? ['  It says the same already.'] : lines
}

function unknownProposal(name: string, waiting: readonly ReviewedProposal[]): CapstanError {
  const names = waiting.map((one) => one.name)
  return new CapstanError('prompt_unknown', `No change of "${name}" waits.${closest(name, names)}`, {
    next: 'Run: capstan review',
  })
}
