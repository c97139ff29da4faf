import type { ErrorJson } from '../errors.ts'
import type { Catalogue } from '../hub/api.ts'
import { buildInstructions } from './instructions.ts'
import type { Reply } from './record.ts'
import { callsOf, interruptedResult, openCalls, repairHistory, visibleMessages } from './repair-history.ts'
import { runCalls } from './run-calls.ts'
import { runStep } from './run-step.ts'
import type { SessionStatus, TurnOutcome } from './session.ts'
import { buildToolbox, type Toolbox } from './toolbox.ts'
import type { TurnWorld } from './turn-world.ts'

export interface Turn {
  /** Told as soon as it is known what the model can call. */
  readonly onTools: (tools: NonNullable<SessionStatus['tools']>) => void
  readonly onReply: (reply: Reply) => void
}

const mostWrongSteps = 3

/** From a person's message to the model's last word: step, permission, calls, and again, until it calls nothing more. */
export async function runTurn(world: TurnWorld, { onTools, onReply }: Turn): Promise<TurnOutcome> {
  const { catalogue, toolbox, instructions } = await prepare(world)
  onTools({ mode: toolbox.mode, count: toolbox.tools.length, tokens: toolbox.tokens })
  const refusals: string[] = []
  let wrongSteps = 0
  for (let step = 1; step <= world.settings.maxSteps; step += 1) {
    if (world.signal.aborted) return { kind: 'stopped' }
    const messages = repairHistory(visibleMessages(world.entries()))
    const outcome = await runStep({ instructions, messages, tools: toolbox.declarations }, world)
    if (outcome.kind === 'no_tools') {
      world.switchToXml()
      continue
    }
    if (outcome.reply.parts.length > 0) {
      await world.append(outcome.reply)
      onReply(outcome.reply)
    }
    if (outcome.kind === 'stopped') return { kind: 'stopped' }
    if (outcome.kind === 'failed') return { kind: 'failed', error: outcome.error }
    const calls = callsOf(outcome.reply)
    if (calls.length === 0) return { kind: 'answered', text: textOf(outcome.reply), refusals }
    const ended = await runCalls({ calls, toolbox, catalogue }, world)
    refusals.push(...ended.refusals)
    wrongSteps = ended.isAllWrong ? wrongSteps + 1 : 0
    if (wrongSteps >= mostWrongSteps) return { kind: 'failed', error: onlyWrongCalls }
  }
  return stepsUsedUp(world)
}

/** Closes what an abort, an error or a crash left open, so that the file is whole again. */
export async function closeOpenCalls({ entries, append, clock }: TurnWorld): Promise<void> {
  for (const call of openCalls(visibleMessages(entries()))) await append(interruptedResult(call, clock.now()))
}

interface Prepared {
  readonly catalogue: Catalogue
  readonly toolbox: Toolbox
  readonly instructions: string
}

async function prepare(world: TurnWorld): Promise<Prepared> {
  const { hub, signal, permissions, settings } = world
  const listed = await hub.catalogue({ kinds: ['tools', 'prompts'], signal })
  // The states come after the lists, because servers say their instructions when they are first asked something.
  const statuses = await hub.servers({ signal })
  const catalogue = { ...listed, tools: listed.tools.filter((tool) => permissions.judge(tool).kind !== 'denied') }
  const { contextTokens } = world.model()
  const toolbox = buildToolbox(catalogue, { contextTokens, inlinePercent: settings.inlinePercent })
  sayWhatIsMissing(listed, world)
  sayWhatIsLarge(toolbox, world)
  return { catalogue, toolbox, instructions: buildInstructions({ statuses, catalogue, toolbox }) }
}

function sayWhatIsMissing({ servers }: Catalogue, { notice }: TurnWorld): void {
  const missing = servers.flatMap((coverage) => (coverage.kind === 'missing' ? [coverage.server] : []))
  if (missing.length === 0) return
  const text = `Not there for the model: ${missing.join(', ')}.`
  notice({ level: 'warning', code: 'servers_missing', text, next: `Run: capstan doctor ${missing.join(' ')}` })
}

function sayWhatIsLarge({ mode, tools, tokens }: Toolbox, { notice, model }: TurnWorld): void {
  if (mode === 'each') return
  const share = Math.round((100 * tokens) / model().contextTokens)
  const text = `${tools.length} tools would take about ${tokens} tokens, ${share}% of the context, so the model searches for them.`
  const next = 'Take servers out with "disabled", tools with "tools", or raise inline_percent of [model].'
  notice({ level: 'info', code: 'many_tools', text, next })
}

function stepsUsedUp({ settings, notice }: TurnWorld): TurnOutcome {
  const text = `The model is still at work after ${settings.maxSteps} steps, and was stopped.`
  notice({ level: 'warning', code: 'steps_used_up', text, next: 'Send another message to let it go on.' })
  return {
    kind: 'failed',
    error: { code: 'limit_exceeded', message: text, next: 'Allow more, or send another message.' },
  }
}

const onlyWrongCalls: ErrorJson = {
  code: 'model_refused',
  message: `The model wrote ${mostWrongSteps} times in a row calls that cannot be made sense of.`,
  next: 'Use another model, or tools = "xml" in [model].',
}

function textOf(reply: Reply): string {
  return reply.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
}
