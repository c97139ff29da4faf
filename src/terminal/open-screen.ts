import { type Component, matchesKey, type Terminal } from '@earendil-works/pi-tui'
import type { InputHistory } from '../agent/input-history.ts'
import type { PrepareLine, QueueEntry } from '../agent/session.ts'
import type { Commands } from '../commands/open-commands.ts'
import { noSuggestions } from '../commands/suggestions.ts'
import type { Answer, OnAsk } from '../hub/api.ts'
import { answerAsk } from './answer-ask.ts'
import { noticeBlock } from './blocks/printed.ts'
import type { Desk } from './desk.ts'
import { makeDock } from './dock.ts'
import { highlightLine } from './highlight-line.ts'
import { makeMarkdown } from './markdown.ts'
import { overviewLines } from './overview.ts'
import { paletteFor } from './paint.ts'
import { PromptEditor } from './prompt-editor.ts'
import { queueLines } from './queue-lines.ts'
import { makeLineRunner } from './run-line.ts'
import { makeSessionActions } from './session-actions.ts'
import { keepingScrollback } from './session-terminal.ts'
import { SessionTui } from './session-tui.ts'
import { showHistory, showSession, type ShownSession } from './show-session.ts'
import { statusLine } from './status-line.ts'
import { makeTranscript } from './transcript.ts'
import type { Workplace } from './workplace.ts'

export interface ScreenSetup {
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  /** What was typed in earlier sessions, and is typed now. */
  readonly inputs: InputHistory
  readonly now?: () => number
  /** Opens a page in the person's browser; false where there is none. */
  readonly openPage: (url: string) => Promise<boolean>
}

export interface News {
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly next?: string | undefined
}

/** A session on the terminal. Disposing it gives the terminal back. */
export interface Screen extends AsyncDisposable {
  /** What is typed from now on goes to this desk, and so does what was typed before. */
  readonly attach: (desk: Desk) => void
  readonly say: (news: News) => void
  /** As if it had been typed. */
  readonly submit: (line: string) => void
  /** Asks which conversation to go on with. */
  readonly pickConversation: () => void
  /** Answers what servers ask, with the person. */
  readonly onAsk: OnAsk
  /** The normal path of a typed line, for a session that is to be opened. */
  readonly prepareWith: (commands: Commands) => PrepareLine
  /** Resolves when the person wants to leave; rejects with a bug. */
  readonly left: Promise<void>
}

/** Draws the first frame at once. Everything else comes behind it. */
export function openScreen({ terminal, env, inputs, openPage, now = Date.now }: ScreenSetup): Screen {
  const leaving = Promise.withResolvers<void>()
  const paint = paletteFor(env)
  const transcript = makeTranscript()
  const tui = new SessionTui(keepingScrollback(terminal), transcript)
  const markdown = makeMarkdown(paint)
  const early: string[] = []
  let desk: Desk | undefined
  let shown: ShownSession | undefined
  let queued: { readonly entries: readonly QueueEntry[]; readonly isHeld: boolean } = { entries: [], isHeld: false }
  let leaveHint: NodeJS.Timeout | undefined
  let ending: Promise<void> | undefined

  const editor = new PromptEditor({
    tui,
    paint,
    suggest: async (text, cursor, options) => desk?.commands.suggest(text, cursor, options) ?? noSuggestions(cursor),
    highlight: (line, text) =>
      desk === undefined ? line : highlightLine(line, { text, parsed: desk.commands.parse(text), paint }),
    onKey: (key) => onAnyKey(key) || onEditorKey(key),
  })
  editor.onSubmit = submit
  const dock = makeDock({ editor, above, onChange: () => tui.requestRender(), now })
  const place: Workplace = {
    tui,
    transcript,
    panels: dock,
    paint,
    markdown,
    now,
    show(...blocks) {
      transcript.add(...blocks)
      tui.requestRender()
    },
    detach: (work) => void work.catch((error: unknown) => leaving.reject(error)),
    onAnyKey,
  }
  const actions = makeSessionActions({ place, desk: atDesk, onExit: leaving.resolve, onSwitched: watchSession })
  const runner = makeLineRunner({ place, desk: atDesk, actions, onAsk, giveBack })
  const ticking = setInterval(() => (work() === undefined ? undefined : tui.requestRender()), 200)
  tui.addChild(spacer)
  tui.addChild(dock)
  tui.setFocus(dock)
  tui.start()
  tui.renderNow()
  place.detach(recall())

  return {
    attach,
    say: (news) => place.show(noticeBlock(news, paint)),
    submit,
    pickConversation: actions.pickConversation,
    onAsk,
    prepareWith: runner.prepareWith,
    left: leaving.promise,
    [Symbol.asyncDispose]: () => (ending ??= end()),
  }

  function attach(opened: Desk): void {
    desk = opened
    const overview = { render: (width: number) => overviewLines(overviewOf(opened), width, paint) }
    transcript.addFirst(overview)
    opened.commands.on(() => {
      editor.refresh()
      tui.requestRender()
    })
    watchSession()
    editor.refresh()
    for (const line of early.splice(0)) runner.submit(line)
    tui.requestRender()
  }

  /** A history that cannot be read, or written, is no reason not to talk. */
  async function recall(): Promise<void> {
    const lines = await inputs.read().catch(() => [])
    for (const line of lines.slice(-100)) editor.addToHistory(line)
  }

  function overviewOf({ commands }: Desk) {
    return { servers: commands.servers(), catalogue: commands.catalogue() }
  }

  function atDesk(): Desk {
    if (desk === undefined) throw new Error('Nothing is typed at a desk that is not there.')
    return desk
  }

  /** Follows the session at hand from now on, and shows what was said in it before. */
  function watchSession(): void {
    shown?.[Symbol.dispose]()
    const session = atDesk().session()
    queued = { entries: session.queue.entries(), isHeld: false }
    shown = showSession({ session, place, openPage })
    session.on((event) => {
      if (event.kind === 'queue') queued = event
    })
    showHistory(session.history(), { place, labelOf })
  }

  function labelOf(name: string): string {
    const tool = desk?.commands.catalogue().tools.find(({ modelName }) => modelName === name)
    return tool?.id ?? name
  }

  function submit(line: string): void {
    if (line === '') return queued.isHeld ? atDesk().session().queue.resume() : undefined
    editor.addToHistory(line)
    place.detach(inputs.add(line).catch(() => undefined))
    if (desk === undefined) early.push(line)
    else runner.submit(line)
  }

  function giveBack(line: string): void {
    if (editor.getText().trim() === '') editor.setText(line)
    tui.requestRender()
  }

  function above(width: number): readonly string[] {
    const view = {
      session: desk?.session().status(),
      servers: desk?.commands.servers() ?? [],
      work: work(),
      hint: leaveHint === undefined ? undefined : 'Ctrl-C again leaves',
      nowMs: now(),
    }
    const waiting = [...early.map((text) => ({ text })), ...queued.entries]
    return [...queueLines(waiting, { isHeld: queued.isHeld, width, paint }), statusLine(view, width, paint)]
  }

  function work(): { readonly what: string; readonly sinceMs: number } | undefined {
    const sinceMs = shown?.busySinceMs()
    return sinceMs === undefined ? runner.work() : { what: 'working', sinceMs }
  }

  /** Keys that mean the same wherever the person is. */
  function onAnyKey(key: string): boolean {
    if (matchesKey(key, 'ctrl+z')) {
      suspend()
      return true
    }
    if (!matchesKey(key, 'ctrl+c')) {
      forgetLeaving()
      return false
    }
    if (leaveHint !== undefined) {
      leaving.resolve()
      return true
    }
    editor.setText('')
    leaveHint = setTimeout(() => {
      forgetLeaving()
      tui.requestRender()
    }, leaveMs)
    return true
  }

  function forgetLeaving(): void {
    clearTimeout(leaveHint)
    leaveHint = undefined
  }

  /** Gives the terminal to the shell until the person comes back. */
  function suspend(): void {
    if (process.platform === 'win32') return
    tui.stop()
    process.once('SIGCONT', () => {
      tui.start()
      tui.requestRender(true)
    })
    process.kill(process.pid, 'SIGTSTP')
  }

  function onEditorKey(key: string): boolean {
    const isEmpty = editor.getText() === ''
    if (matchesKey(key, 'escape')) stop()
    else if (matchesKey(key, 'ctrl+o')) shown?.toggleResult()
    else if (matchesKey(key, 'ctrl+p')) preview()
    else if (matchesKey(key, 'ctrl+d') && isEmpty) leaving.resolve()
    else if (matchesKey(key, 'up') && isEmpty && queued.entries.length > 0) editLast()
    else return false
    return true
  }

  function stop(): void {
    if (!runner.stop()) desk?.session().abort()
  }

  function preview(): void {
    const line = editor.getExpandedText().trim()
    if (desk === undefined || desk.commands.parse(line).kind !== 'command' || desk.commands.isBuiltin(line)) return
    runner.preview(line)
  }

  /** Takes what was typed last out of the queue, into the editor. */
  function editLast(): void {
    const last = queued.entries.at(-1)
    const taken = last === undefined ? undefined : atDesk().session().queue.take(last.id)
    if (taken !== undefined) editor.setText(taken.text)
  }

  function onAsk(ask: Parameters<OnAsk>[0], { signal }: Parameters<OnAsk>[1]): Promise<Answer> {
    return new Promise((resolve) => {
      const answer = (given: Answer): void => {
        asked[Symbol.dispose]()
        resolve(given)
      }
      const asked = answerAsk(ask, { place, openPage, onAnswer: (given) => queueMicrotask(() => answer(given)) })
      signal.addEventListener('abort', () => answer({ action: 'cancel' }), { once: true })
    })
  }

  async function end(): Promise<void> {
    clearInterval(ticking)
    clearTimeout(leaveHint)
    shown?.[Symbol.dispose]()
    dock.leave()
    tui.renderNow()
    await tui.terminal.drainInput(200, 20)
    tui.stop()
  }
}

/** For how long the first Ctrl-C is remembered. */
const leaveMs = 2000

const spacer: Component = { render: () => [''], invalidate() {} }
