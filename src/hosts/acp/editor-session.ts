import type {
  ContentBlock,
  NewSessionResponse,
  PromptResponse,
  SessionConfigOption,
  StopReason,
} from '@agentclientprotocol/sdk'
import type { ContentPart, ReplyEnd } from '../../agent/record.ts'
import type { TurnOutcome } from '../../agent/session.ts'
import type { SessionAction } from '../../commands/outcome.ts'
import { CapstanError } from '../../errors.ts'
import { plainText } from '../../policy/plain-text.ts'
import { answerAsks } from './answer-asks.ts'
import { attachments } from './attachments.ts'
import type { Desk, DeskWish, Office } from './desk.ts'
import { editorFor, type EditorConnection } from './editor.ts'
import { offerCommands } from './offer-commands.ts'
import { openOutbox } from './outbox.ts'
import { failureText, paragraph } from './outcome-blocks.ts'
import { prepareEditorLine } from './prepare-line.ts'
import { readPrompt, type EditorPrompt } from './read-prompt.ts'
import { replay } from './replay.ts'
import { configOptions, modeState, type Mode } from './session-settings.ts'
import { showEvents } from './show-events.ts'
import { makeVoice } from './voice.ts'

/** One session of an editor. */
export interface EditorSession extends AsyncDisposable {
  readonly id: string
  /** What a person can choose, as it stands. */
  readonly settings: () => Required<Pick<NewSessionResponse, 'modes' | 'configOptions'>>
  /** Tells the whole conversation so far. */
  readonly replay: () => Promise<void>
  /** Tells what can be typed, now and whenever that changes. */
  readonly begin: () => void
  /** Resolves when the turn is over and everything about it has been told. One prompt at a time: others wait. */
  readonly prompt: (blocks: readonly ContentBlock[], signal: AbortSignal) => Promise<PromptResponse>
  /** Stops the turn, and all that wait behind it. */
  readonly cancel: () => void
  readonly useMode: (mode: Mode) => void
  readonly useModel: (id: string) => Promise<void>
}

export type SessionWish = Omit<DeskWish, 'prepare'>

export async function openEditorSession(
  office: Office,
  wish: SessionWish,
  connection: EditorConnection,
): Promise<EditorSession> {
  let cancelling = new AbortController()
  let underWay: EditorPrompt = { line: '', parts: [], links: [] }
  let action: SessionAction | undefined
  let mode: Mode = 'ask'
  let last: Promise<unknown> = Promise.resolve()

  const desk: Desk = await office.openDesk({ ...wish, prepare: (line, options) => prepare(line, options) })
  const { session } = desk
  const { conversation: id } = session.status()
  const editor = editorFor(connection, id)
  const outbox = openOutbox(editor.update)
  const { say, tell } = makeVoice(outbox.put, editor)
  const prepare = prepareEditorLine({
    desk: () => desk,
    editor,
    attached: (signal): Promise<readonly ContentPart[]> => attachments(underWay, { desk, editor, tell, signal }),
    say,
    tell,
    afterwards: (wanted) => (action = wanted),
  })
  const shown = showEvents({ session, put: outbox.put, tell })
  const answering = answerAsks({ session, editor, mode: () => mode, settled: outbox.settled, tell })
  const offering = offerCommands(desk, outbox.put)
  let told = JSON.stringify(options())
  const settingsWatch = session.on((event) => event.kind === 'changed' && tellOptions())
  let { news } = desk

  return {
    id,
    settings: () => ({ modes: modeState(mode), configOptions: options() }),
    async replay() {
      for (const update of replay(session.history())) outbox.put(update)
      await outbox.settled()
    },
    begin: offering.begin,
    prompt(blocks, signal) {
      const prompt = readPrompt(blocks)
      const { signal: cancelled } = cancelling
      const turn = last.then(() => runPrompt(prompt, AbortSignal.any([cancelled, signal])))
      last = turn.catch(() => undefined)
      return turn
    },
    cancel() {
      cancelling.abort()
      cancelling = new AbortController()
    },
    useMode(wanted) {
      mode = wanted
      outbox.put({ sessionUpdate: 'current_mode_update', currentModeId: mode })
      tellOptions()
    },
    useModel: (model) => desk.models.use(model),
    async [Symbol.asyncDispose]() {
      cancelling.abort()
      for (const listening of [shown, answering, offering, settingsWatch]) listening[Symbol.dispose]()
      await desk[Symbol.asyncDispose]()
    },
  }

  async function runPrompt(prompt: EditorPrompt, signal: AbortSignal): Promise<PromptResponse> {
    if (signal.aborted) return { stopReason: 'cancelled' }
    underWay = prompt
    action = undefined
    for (const text of news) tell({ level: 'warning', text })
    news = []
    const stop = (): void => session.abort()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const outcome = await session.send({ kind: 'line', text: prompt.line })
      return { stopReason: endOf(action === undefined ? outcome : await perform(action)) }
    } finally {
      signal.removeEventListener('abort', stop)
      await outbox.settled()
    }
  }

  function endOf(outcome: TurnOutcome): StopReason {
    if (outcome.kind !== 'failed') return stopReasonOf(outcome, shown.lastEnd())
    const error = CapstanError.fromJSON(outcome.error)
    // The session has said so itself.
    if (error.code === 'limit_exceeded') return 'max_turn_requests'
    if (error.code !== 'model_unknown') throw error
    say(paragraph(failureText(desk.modelProblem ?? outcome.error)))
    return 'end_turn'
  }

  /** What only the owner of a session can do. An editor has its own ways for most of it. */
  async function perform(wanted: SessionAction): Promise<TurnOutcome> {
    if (wanted.kind !== 'compact') {
      say(paragraph('Your editor does this: begin, leave or choose a conversation there.'))
      return { kind: 'handled' }
    }
    const outcome = await session.compact()
    if (outcome.kind === 'answered') {
      say(paragraph(`The model goes on with this summary:\n\n${plainText(outcome.text)}`))
    }
    return outcome
  }

  function options(): SessionConfigOption[] {
    return configOptions({ mode, model: session.status().model, models: desk.models.list() })
  }

  function tellOptions(): void {
    const now = JSON.stringify(options())
    if (now === told) return
    told = now
    outbox.put({ sessionUpdate: 'config_option_update', configOptions: options() })
  }
}

function stopReasonOf(outcome: Exclude<TurnOutcome, { kind: 'failed' }>, end: ReplyEnd | undefined): StopReason {
  switch (outcome.kind) {
    case 'answered':
      return end === 'length' ? 'max_tokens' : 'end_turn'
    case 'handled':
      return 'end_turn'
    case 'stopped':
    case 'dropped':
      return 'cancelled'
    default:
      return outcome satisfies never
  }
}
