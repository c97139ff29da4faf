import {
  CapstanError,
  findPrompt,
  firstSentence,
  plainLine,
  plainText,
  promptLines,
  type OnAsk,
  type PromptEntry,
  type PromptLines,
} from '../../index.ts'
import { answerAsks } from './answer-ask.ts'
import type { Connection } from './hub-link.ts'
import type { Pi, PiContent, PiContext, PiInput, PiInputResult } from './pi-api.ts'
import { promptContent } from './results.ts'
import { answer, failureText } from './say.ts'
import type { PiWorld } from './world.ts'

type Outcome = Awaited<ReturnType<PromptLines['render']>>
type Form = Extract<Outcome, { kind: 'form' }>['form']

/**
 * Reads a line that names a prompt for which pi has no command: where pi shows no commands none are made, because pi would not wait
 * for what comes of one; and on a terminal a person may be quicker than a server. Undefined when the line is something else.
 */
export async function readPromptLine(
  { text, images = [], source }: PiInput,
  asked: Asked,
): Promise<PiInputResult | undefined> {
  const [, name, args = ''] = /^\/((?!skill:)\S+:\S+)(?:\s+([^]*))?$/.exec(text) ?? []
  if (name === undefined || source === 'extension') return undefined
  // That the hub cannot be reached has been said; the line may be meant for somebody else.
  const connection = await asked.world.connection().catch(() => undefined)
  await connection?.loaded
  const prompt = connection?.live.current().prompts.find(({ id }) => commandName(id) === name)
  if (prompt === undefined) return undefined
  try {
    const content = await render(prompt.id, args, asked)
    if (content === undefined) return { action: 'handled' }
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const pictures = content.filter((part) => part.type === 'image')
    return { action: 'transform', text: texts.join('\n'), images: [...images, ...pictures] }
  } catch (error) {
    answer(asked.context, failureText(error), 'error')
    return { action: 'handled' }
  }
}

/** Makes a command of each prompt that has none yet; tells whether there were any. pi cannot take a command away again. */
export function promptCommands(pi: Pi, world: PiWorld): (connection: Connection) => boolean {
  const known = new Set<string>()
  return ({ live }) => {
    // A name that a screen cannot show as it is could pass for another.
    const fresh = live.current().prompts.filter(({ id }) => !known.has(id) && plainText(id) === id)
    for (const prompt of fresh) {
      known.add(prompt.id)
      register(pi, prompt, world)
    }
    return fresh.length > 0
  }
}

function register(pi: Pi, { id, description, title, arguments: declared = [] }: PromptEntry, world: PiWorld): void {
  const usage = plainLine(declared.map(({ name, required }) => (required === true ? name : `[${name}]`)).join(' '))
  const about = plainLine(firstSentence(description ?? title))
  pi.registerCommand(commandName(id), {
    description: [about, ...(usage === '' ? [] : [`(${usage})`])].join(' ').trim(),
    async getArgumentCompletions(typed) {
      const { prompt, lines } = await find(id, world)
      const items = await lines.suggest(prompt, typed)
      return items.length === 0 ? null : items.map(({ text, label, detail }) => item(text, label, detail))
    },
    async handler(args, context) {
      try {
        const content = await render(id, args, { context, world })
        if (content !== undefined) pi.sendUserMessage(content, { deliverAs: 'followUp' })
      } catch (error) {
        answer(context, failureText(error), 'error')
      }
    },
  })
}

/** pi takes a name up to the first blank. */
function commandName(id: string): string {
  return id.replaceAll(/\s+/g, '-')
}

function item(value: string, label: string, description: string | undefined) {
  return {
    value,
    label: plainLine(label),
    ...(description === undefined ? {} : { description: plainLine(description) }),
  }
}

/** The prompt as its server has it now. */
async function find(
  id: string,
  world: PiWorld,
): Promise<{ readonly prompt: PromptEntry; readonly lines: PromptLines }> {
  const { hub, live } = await world.connection()
  return { prompt: findPrompt(live.current(), id), lines: promptLines(hub) }
}

interface Asked {
  readonly context: PiContext
  readonly world: PiWorld
}

/** The prompt with its arguments filled in; undefined when the person has been told why there is none. */
async function render(id: string, args: string, { context, world }: Asked): Promise<PiContent[] | undefined> {
  const { prompt, lines } = await find(id, world)
  const asks: { readonly onAsk?: OnAsk } = context.hasUI ? { onAsk: answerAsks(context, world.inTurn) } : {}
  let outcome = await lines.render(prompt, args, asks)
  if (outcome.kind === 'form' && context.hasUI) {
    const values = await fillIn(outcome.form, context)
    if (values === undefined) return undefined
    outcome = await lines.submit(prompt, outcome.form, { values, ...asks })
  }
  if (outcome.kind === 'form') throw new CapstanError('usage', missingText(id, outcome.form))
  if (outcome.kind === 'error') throw CapstanError.fromJSON(outcome.error)
  if (outcome.kind !== 'prompt') return undefined
  for (const notice of outcome.notices) answer(context, notice, 'warning')
  return contentOf(outcome.messages)
}

async function fillIn(
  { title, fields, values, missing }: Form,
  { ui }: PiContext,
): Promise<Readonly<Record<string, string>> | undefined> {
  const given = { ...values }
  for (const { name, description } of fields.filter((field) => missing.includes(field.name))) {
    const value = await ui.input(plainLine(`${title}: ${name}`), plainLine(description ?? ''))
    if (value === undefined) return undefined
    given[name] = value
  }
  return given
}

function missingText(id: string, { missing }: Form): string {
  const example = missing.map((name) => `${name}=…`).join(' ')
  return `/${id} needs ${missing.join(', ')}. Type: /${id} ${example}`
}

/** pi takes what the person says; the model's own part of a prompt is told as such. */
function contentOf(messages: Extract<Outcome, { kind: 'prompt' }>['messages']): PiContent[] {
  return messages.flatMap((message): PiContent[] =>
    message.role === 'user'
      ? promptContent(message.parts)
      : [{ type: 'text', text: `[The assistant says:]\n${message.text}` }],
  )
}
