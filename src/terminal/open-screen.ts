import { type Component, type Terminal } from '@earendil-works/pi-tui'
import type { InputHistory } from '../agent/input-history.ts'
import type { PrepareLine } from '../agent/session.ts'
import type { Commands } from '../commands/open-commands.ts'
import { noSuggestions } from '../commands/suggestions.ts'
import { toolLabel } from '../commands/tool-label.ts'
import type { InputQuestion } from '../config/inputs.ts'
import type { OnAsk } from '../hub/api.ts'
import { putAsk } from './answer-ask.ts'
import { askInput } from './ask-input.ts'
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
import { makeScreenKeys } from './screen-keys.ts'
import { makeSessionActions } from './session-actions.ts'
import { SessionTui } from './session-tui.ts'
import { showHistory } from './show-history.ts'
import { showSession, type ShownSession } from './show-session.ts'
import { statusLine } from './status-line.ts'
import { makeTranscript } from './transcript.ts'
import { makeTypedLines } from './typed-lines.ts'
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
  /** Asks for the value of an `${input:…}`. */
  readonly onInput: (question: InputQuestion) => Promise<string>
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
  const tui = new SessionTui(terminal, transcript)
  const early: string[] = []
  let desk: Desk | undefined
  let shown: ShownSession | undefined
  let ending: Promise<void> | undefined

  const editor = new PromptEditor({
    tui,
    paint,
    suggest: async (text, cursor, options) => desk?.commands.suggest(text, cursor, options) ?? noSuggestions(cursor),
    highlight: (line, text) =>
      desk === undefined ? line : highlightLine(line, { text, parsed: desk.commands.parse(text), paint }),
    onKey: (key) => keys.onAnyKey(key) || keys.onEditorKey(key),
  })
  editor.onSubmit = submit
  const typed = makeTypedLines(inputs, editor)
  const keys = makeScreenKeys({
    isEmpty: () => editor.getText() === '',
    onLeave: leaving.resolve,
    onSuspend: () => tui.suspend(),
    onStop: () => (runner.stop() ? undefined : desk?.session().abort()),
    onToggleResult: () => shown?.toggleResult(),
    onPreview: preview,
    onEditQueue: editLast,
    onChange: () => tui.requestRender(),
  })
  const dock = makeDock({
    editor,
    above,
    rows: () => tui.terminal.rows,
    onChange: () => tui.requestRender(),
    paint,
    now,
  })
  const place: Workplace = {
    tui,
    transcript,
    panels: dock,
    paint,
    markdown: makeMarkdown(paint),
    now,
    show(...blocks) {
      transcript.add(...blocks)
      tui.requestRender()
    },
    detach: (work) => void work.catch((error: unknown) => leaving.reject(error)),
    onAnyKey: keys.onAnyKey,
  }
  const actions = makeSessionActions({ place, desk: atDesk, onExit: leaving.resolve, onSwitched: watchSession })
  const onAsk: OnAsk = (ask, { signal }) => putAsk(ask, { place, openPage, signal })
  const runner = makeLineRunner({ place, desk: atDesk, actions, onAsk, giveBack })
  const ticking = setInterval(() => (work() === undefined ? undefined : tui.requestRender()), 200)
  tui.addChild(spacer)
  tui.addChild(dock)
  tui.setFocus(dock)
  tui.start()
  tui.renderNow()
  place.detach(typed.recall())

  return {
    attach,
    say: (news) => place.show(noticeBlock(news, paint)),
    submit,
    pickConversation: actions.pickConversation,
    onInput: (question) => askInput(question, place),
    prepareWith: runner.prepareWith,
    left: leaving.promise,
    [Symbol.asyncDispose]: () => (ending ??= end()),
  }

  function attach(opened: Desk): void {
    desk = opened
    const { commands } = opened
    let isKnown = commands.servers().length > 0
    const overview = (width: number) =>
      overviewLines({ servers: commands.servers(), catalogue: commands.catalogue() }, width, paint)
    // Before the first news nobody knows whether there are any servers.
    transcript.addFirst({ render: (width) => (isKnown ? overview(width) : []) })
    commands.on(() => {
      isKnown = true
      editor.refresh()
      tui.requestRender()
    })
    watchSession()
    editor.refresh()
    for (const line of early.splice(0)) runner.submit(line)
    tui.requestRender()
  }

  function atDesk(): Desk {
    if (desk === undefined) throw new Error('Nothing is typed at a desk that is not there.')
    return desk
  }

  /** Follows the session at hand from now on, and shows what was said in it before. */
  function watchSession(): void {
    shown?.[Symbol.dispose]()
    const { commands, session } = atDesk()
    const labelOf = (name: string) => toolLabel(commands.catalogue(), name)
    const earlier = showHistory(session().history(), { place, labelOf })
    shown = showSession({ session: session(), place, openPage, earlier, labelOf })
  }

  function submit(line: string): void {
    if (line === '') return desk?.session().queue.resume()
    typed.add(line)
    if (desk === undefined) early.push(line)
    else runner.submit(line)
  }

  function giveBack(line: string, instead = ''): void {
    const text = editor.getExpandedText().trim()
    if (text !== line && (text === '' || text === instead)) editor.replaceText(line)
  }

  function above(width: number): readonly string[] {
    const view = {
      session: desk?.session().status(),
      servers: desk?.commands.servers() ?? [],
      work: work(),
      hint: keys.isLeaving() ? 'Ctrl-C again leaves' : undefined,
      nowMs: now(),
    }
    const { entries = [], isHeld = false } = shown?.queue() ?? {}
    const waiting = [...early.map((text) => ({ text })), ...entries]
    return [...queueLines(waiting, { isHeld, width, paint }), statusLine(view, width, paint)]
  }

  function work(): { readonly what: string; readonly sinceMs: number } | undefined {
    const sinceMs = shown?.busySinceMs()
    if (sinceMs === undefined) return runner.work()
    const awaited = shown?.isPreparing() === true && now() - sinceMs > patienceMs ? connecting() : []
    return { what: awaited.length === 0 ? 'working' : `waiting for ${awaited.join(', ')}`, sinceMs }
  }

  function connecting(): readonly string[] {
    return atDesk()
      .commands.servers()
      .flatMap(({ name, state }) => (state.kind === 'connecting' ? [name] : []))
  }

  function preview(): void {
    const line = editor.getExpandedText().trim()
    if (desk === undefined || desk.commands.parse(line).kind !== 'command' || desk.commands.isBuiltin(line)) return
    runner.preview(line)
  }

  function editLast(): boolean {
    const last = shown?.queue().entries.at(-1)
    if (last === undefined) return false
    const taken = atDesk().session().queue.take(last.id)
    if (taken !== undefined) editor.replaceText(taken.text)
    return true
  }

  async function end(): Promise<void> {
    clearInterval(ticking)
    keys[Symbol.dispose]()
    shown?.[Symbol.dispose]()
    dock.leave()
    tui.renderNow()
    await tui.terminal.drainInput(200, 20)
    tui.stop()
    await typed.settle()
  }
}

/** After how long a person wants to know what they are waiting for. */
const patienceMs = 1000

const spacer: Component = { render: () => [''], invalidate() {} }
