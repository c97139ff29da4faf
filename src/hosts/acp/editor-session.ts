import type {
  ContentBlock,
  NewSessionResponse,
  PromptResponse,
  SessionConfigOption,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk'
import type { ContentPart } from '../../agent/record.ts'
import type { Notice, TurnOutcome } from '../../agent/session.ts'
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
  const cancelling = { current: new AbortController() }
  let underWay: EditorPrompt = { line: '', parts: [], links: [] }
  let action: SessionAction | undefined
  let mode: Mode = 'ask'
  let last: Promise<unknown> = Promise.resolve()
  let news: readonly string[] = []

  const desk: Desk = await office.openDesk({ ...wish, prepare: (line, options) => prepare(line, options) })
  const { session } = desk
  const { conversation: id } = session.status()
  const editor = editorFor(connection, id)
  const outbox = openOutbox(editor.update)
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
  news = desk.news

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
      const { signal: cancelled } = cancelling.current
      const turn = last.then(() => runPrompt(prompt, AbortSignal.any([cancelled, signal])))
      last = turn.catch(() => undefined)
      return turn
    },
    cancel() {
      cancelling.current.abort()
      cancelling.current = new AbortController()
    },
    useMode(wanted) {
      mode = wanted
      outbox.put({ sessionUpdate: 'current_mode_update', currentModeId: mode })
      tellOptions()
    },
    useModel: (model) => desk.models.use(model),
    async [Symbol.asyncDispose]() {
      cancelling.current.abort()
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
      const stopReason = await endOf(action === undefined ? outcome : await perform(action))
      await outbox.settled()
      return { stopReason }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  async function endOf(outcome: TurnOutcome): Promise<StopReason> {
    switch (outcome.kind) {
      case 'answered':
        return shown.lastEnd() === 'length' ? 'max_tokens' : 'end_turn'
      case 'handled':
        return 'end_turn'
      case 'stopped':
      case 'dropped':
        return 'cancelled'
      case 'failed':
        return endOfFailure(CapstanError.fromJSON(outcome.error))
      default:
        return outcome satisfies never
    }
  }

  function endOfFailure(error: CapstanError): StopReason {
    // The session has said so itself.
    if (error.code === 'limit_exceeded') return 'max_turn_requests'
    if (error.code !== 'model_unknown') throw error
    say(paragraph(failureText(desk.modelProblem ?? error.toJSON())))
    return 'end_turn'
  }

  /** What only the owner of a session can do. An editor has its own ways for most of it. */
  async function perform(wanted: SessionAction): Promise<TurnOutcome> {
    if (wanted.kind !== 'compact') {
      say(paragraph('Your editor does this: begin, leave or choose a conversation there.'))
      return { kind: 'handled' }
    }
    const outcome = await session.compact()
    if (outcome.kind === 'answered') say(paragraph('The model goes on with this summary:'))
    if (outcome.kind === 'answered') say(paragraph(plainText(outcome.text)))
    return outcome
  }

  function say(content: ContentBlock): void {
    outbox.put({ sessionUpdate: 'agent_message_chunk', content })
  }

  /** For editors without notices a thought is the next best: it is shown, and is no part of the answer. */
  function tell({ level, text, next }: Pick<Notice, 'level' | 'text' | 'next'>): void {
    const [title, description] = [plainText(text), next === undefined ? {} : { description: plainText(next) }]
    if (editor.can.showNotices) return outbox.put({ sessionUpdate: 'notice', severity: level, title, ...description })
    if (level === 'info') return
    const content = paragraph([title, ...Object.values(description)].join(' '))
    outbox.put({ sessionUpdate: 'agent_thought_chunk', content })
  }

  function options(): SessionConfigOption[] {
    return configOptions({ mode, model: session.status().model, models: desk.models.list() })
  }

  function tellOptions(): void {
    const now = JSON.stringify(options())
    if (now === told) return
    told = now
    outbox.put({ sessionUpdate: 'config_option_update', configOptions: options() } satisfies SessionUpdate)
  }
}
