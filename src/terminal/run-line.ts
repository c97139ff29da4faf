import type { PrepareLine } from '../agent/session.ts'
import type { RunOptions } from '../commands/command.ts'
import { checkField } from '../commands/fields.ts'
import { prepareLine, type Commands } from '../commands/open-commands.ts'
import type { Form, Outcome } from '../commands/outcome.ts'
import { CapstanError } from '../errors.ts'
import type { OnAsk } from '../hub/api.ts'
import { plainLine } from '../policy/plain-text.ts'
import { callBlock } from './blocks/call-block.ts'
import { wrapped } from './blocks/drawn.ts'
import { showGroup } from './blocks/group.ts'
import { noticeBlock, printedBlock } from './blocks/printed.ts'
import { previewBlock } from './blocks/said.ts'
import type { Desk } from './desk.ts'
import { formPanel, type FormValues } from './panels/form-panel.ts'
import type { Block } from './transcript.ts'
import type { SessionActions } from './session-actions.ts'
import type { Workplace } from './workplace.ts'

/** What becomes of a line that was typed. */
export interface LineRunner {
  readonly submit: (line: string) => void
  /** Shows what a prompt would say, and leaves the line where it is. */
  readonly preview: (line: string) => void
  /** The normal path of a line, for the session. */
  readonly prepareWith: (commands: Commands) => PrepareLine
  /** Since when a command has been at work. */
  readonly work: () => { readonly what: string; readonly sinceMs: number } | undefined
  /** Stops the commands at work; says whether there were any. */
  readonly stop: () => boolean
}

export interface LineRunnerSetup {
  readonly place: Workplace
  readonly desk: () => Desk
  readonly actions: SessionActions
  readonly onAsk: OnAsk
  /** Puts a line into the editor again, unless something else than `instead` is there by now. */
  readonly giveBack: (line: string, instead?: string) => void
}

/** Where a line came from, and where what comes of it is shown. */
interface Spot {
  readonly line: string
  readonly show: Workplace['show']
}

interface Running {
  readonly what: string
  readonly sinceMs: number
  readonly stopping: AbortController
}

export function makeLineRunner({ place, desk, actions, onAsk, giveBack }: LineRunnerSetup): LineRunner {
  const { show, paint, markdown, now, tui, detach } = place
  const running = new Set<Running>()

  return {
    submit(line) {
      const { commands, session } = desk()
      if (commands.isBuiltin(line)) {
        const echo: Block = { render: (width) => ['', ...wrapped(plainLine(line), width, '› ').map(paint.faint)] }
        const { show: below } = showGroup(echo, place.transcript)
        return detach(execute(line, { line, show: below }, handle))
      }
      // A form is filled in now, not when the line's turn has come and the person types something else.
      if (lacksArguments(commands, line)) return detach(execute(line, { line, show }, handle))
      detach(session().send({ kind: 'line', text: line }))
    },
    preview: (line) => detach(execute(line, { line, show }, showPreview)),
    prepareWith: (commands) => (line, given) =>
      prepareLine(commands, (outcome) => handle(outcome, { line, show }), optionsFor(show))(line, given),
    work: () => [...running].at(-1),
    stop() {
      for (const { stopping } of running) stopping.abort(new CapstanError('cancelled', 'Stopped.'))
      return running.size > 0
    },
  }

  function optionsFor(showAt: Workplace['show']): RunOptions {
    return { onAsk, onBlock: (block) => showAt(printedBlock(block, paint, markdown)) }
  }

  async function execute(line: string, spot: Spot, then: (outcome: Outcome, spot: Spot) => void): Promise<void> {
    then(await run(spot, (options) => desk().commands.execute(line, options)), spot)
    tui.requestRender()
  }

  /** Runs a command where it can be seen and stopped. */
  async function run(spot: Spot, work: (options: RunOptions) => Promise<Outcome>): Promise<Outcome> {
    const label = plainLine(spot.line)
    const entry: Running = { what: label.split(' ')[0] ?? label, sinceMs: now(), stopping: new AbortController() }
    running.add(entry)
    let live: ReturnType<typeof callBlock> | undefined
    try {
      return await work({
        ...optionsFor(spot.show),
        signal: entry.stopping.signal,
        onProgress: (progress) => {
          const view = { callId: '', label, state: { kind: 'processing', sinceMs: entry.sinceMs, progress } } as const
          if (live === undefined) show((live = callBlock(view, { paint, now })))
          else live.update(view)
          tui.requestRender()
        },
      })
    } finally {
      if (live !== undefined) place.transcript.remove(live)
      running.delete(entry)
      tui.requestRender()
    }
  }

  function handle(outcome: Outcome, spot: Spot): void {
    if (outcome.kind === 'printed') spot.show(...outcome.blocks.map((block) => printedBlock(block, paint, markdown)))
    else if (outcome.kind === 'error') refuse(outcome, spot)
    else if (outcome.kind === 'session') actions.perform(outcome.action)
    else if (outcome.kind === 'form') fillIn(outcome.form, spot, handle)
    else send(outcome, spot)
  }

  function refuse({ error }: Outcome & { kind: 'error' }, spot: Spot): void {
    spot.show(noticeBlock({ level: 'error', text: error.message, next: error.next }, paint))
    giveBack(spot.line)
  }

  function send(outcome: Outcome & { kind: 'prompt' | 'message' }, spot: Spot): void {
    spot.show(...outcome.notices.map((text) => noticeBlock({ level: 'warning', text }, paint)))
    const text = outcome.kind === 'prompt' ? outcome.line : spot.line
    detach(desk().session().send({ kind: 'messages', text, messages: outcome.messages }))
  }

  function showPreview(outcome: Outcome, spot: Spot): void {
    if (outcome.kind === 'form') return fillIn(outcome.form, spot, showPreview)
    if (outcome.kind !== 'prompt') return handle(outcome, spot)
    spot.show(
      ...outcome.notices.map((text) => noticeBlock({ level: 'warning', text }, paint)),
      previewBlock(`/${outcome.prompt}`, outcome.messages, paint),
    )
    giveBack(outcome.line, spot.line)
  }

  /** Asks for what is missing. Esc gives the line back. */
  function fillIn(form: Form, spot: Spot, then: (outcome: Outcome, spot: Spot) => void): void {
    const isMissing = (name: string) => form.missing.includes(name)
    const open = form.fields.filter(
      ({ name, required }) => isMissing(name) || (!required && form.values[name] === undefined),
    )
    const panel = formPanel({
      title: form.title,
      description: form.description,
      fields: [...open.filter(({ name }) => isMissing(name)), ...open.filter(({ name }) => !isMissing(name))],
      values: form.values,
      check: checkField,
      complete: ({ name }, given) => desk().commands.completeField(form, name, given),
      escape: 'gives the line back',
      tui,
      paint,
      onFilled(values) {
        place.panels.close(panel)
        detach(submitForm(form, values))
      },
      onEscape() {
        place.panels.close(panel)
        giveBack(spot.line)
      },
      onKey: place.onAnyKey,
    })
    place.panels.open(panel, { isCalledFor: true })

    async function submitForm(filled: Form, values: FormValues): Promise<void> {
      then(await run(spot, (options) => desk().commands.submit(filled, { ...options, values })), spot)
      tui.requestRender()
    }
  }
}

function lacksArguments(commands: Commands, line: string): boolean {
  const { kind, isKnown, declared, values, json = {}, problems } = commands.parse(line)
  if (kind !== 'command' || !isKnown || problems.some(({ severity }) => severity === 'error')) return false
  return declared.slots.some(
    ({ name, required }) => required === true && !values.has(name) && !Object.hasOwn(json, name),
  )
}
