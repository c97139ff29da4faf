import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { ContentPart } from '../../agent/record.ts'
import type { PreparedMessage, PrepareLine } from '../../agent/session.ts'
import type { RunOptions } from '../../commands/command.ts'
import type { Form, Outcome, SessionAction } from '../../commands/outcome.ts'
import { answerServer } from './answer-asks.ts'
import type { Desk } from './desk.ts'
import type { Editor } from './editor.ts'
import { formSchema, formValues } from './form-schema.ts'
import { failureText, paragraph, printedBlock } from './outcome-blocks.ts'
import type { News } from './voice.ts'

export interface LineSetup {
  readonly desk: () => Desk
  readonly editor: Editor
  /** What came with the line that is under way. */
  readonly attached: (signal: AbortSignal) => Promise<readonly ContentPart[]>
  readonly say: (block: ContentBlock) => void
  readonly tell: (news: News) => void
  /** To be done when the turn is over. */
  readonly afterwards: (action: SessionAction) => void
}

/** What becomes of a line that came from an editor: messages for the model, or a command that ran. */
export function prepareEditorLine(setup: LineSetup): PrepareLine {
  const { desk, editor, attached, say, tell, afterwards } = setup
  return async (line, { signal }) => {
    const options: RunOptions = {
      signal,
      onAsk: (ask, asked) => answerServer(ask, { editor, tell, signal: asked.signal }),
      onBlock: (block) => say(printedBlock(block)),
    }
    const outcome = await run(line, options)
    if (outcome.kind !== 'message' && outcome.kind !== 'prompt') {
      show(outcome)
      return { kind: 'handled' }
    }
    for (const text of outcome.notices) tell({ level: 'warning', text })
    return { kind: 'messages', messages: withParts(outcome.messages, await attached(signal)) }
  }

  async function run(line: string, options: RunOptions): Promise<Outcome> {
    // A picture alone is a message too.
    if (line.trim() === '') return { kind: 'message', messages: [], notices: [] }
    const outcome = await desk().commands.execute(line, options)
    return outcome.kind === 'form' && editor.can.showForms ? await fillIn(outcome.form, options) : outcome
  }

  async function fillIn(form: Form, options: RunOptions): Promise<Outcome> {
    const { title, description = title } = form
    const question = { message: description, schema: formSchema(form) }
    const answer = await editor.showForm(question, options.signal ?? AbortSignal.any([]))
    if (answer.action !== 'accept') return { kind: 'printed', blocks: [] }
    const values = { ...form.values, ...formValues(answer.content) }
    return await desk().commands.submit(form, { ...options, values })
  }

  function show(outcome: Exclude<Outcome, { kind: 'message' | 'prompt' }>): void {
    switch (outcome.kind) {
      case 'printed':
        return outcome.blocks.forEach((block) => say(printedBlock(block)))
      case 'error':
        return say(paragraph(failureText(outcome.error)))
      case 'form':
        return say(paragraph(whatIsMissing(outcome.form)))
      case 'session':
        return afterwards(outcome.action)
      default:
        return outcome satisfies never
    }
  }
}

/** Behind the last words of the person, else as a message of their own. */
function withParts(messages: readonly PreparedMessage[], parts: readonly ContentPart[]): readonly PreparedMessage[] {
  const last = messages.at(-1)
  if (parts.length === 0) return messages
  if (last?.role !== 'user') return [...messages, { role: 'user', parts }]
  return [...messages.slice(0, -1), { ...last, parts: [...last.parts, ...parts] }]
}

function whatIsMissing({ title, fields, missing }: Form): string {
  const lines = fields
    .filter(({ name }) => missing.includes(name))
    .map(({ name, description }) => `- ${name}${description === undefined ? '' : `: ${description}`}`)
  return `${title} needs:\n\n${lines.join('\n')}\n\nType it with ${missing.map((name) => `${name}=…`).join(' ')}`
}
