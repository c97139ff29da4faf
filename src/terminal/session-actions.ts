import { matchesKey } from '@earendil-works/pi-tui'
import type { SessionAction } from '../commands/outcome.ts'
import { rank } from '../commands/fuzzy.ts'
import { timeText } from '../commands/time-text.ts'
import { CapstanError, unreachable } from '../errors.ts'
import { plainLine } from '../policy/plain-text.ts'
import { noticeBlock } from './blocks/printed.ts'
import type { Desk } from './desk.ts'
import { formPanel } from './panels/form-panel.ts'
import type { Workplace } from './workplace.ts'

/** What only the owner of the session can do, and how it is shown. */
export interface SessionActions {
  readonly perform: (action: SessionAction) => void
  readonly pickConversation: () => void
}

export interface SessionActionsSetup {
  readonly place: Workplace
  readonly desk: () => Desk
  readonly onExit: () => void
  /** Another session is at hand. */
  readonly onSwitched: () => void
}

export function makeSessionActions({ place, desk, onExit, onSwitched }: SessionActionsSetup): SessionActions {
  const { show, paint, tui } = place
  return { perform, pickConversation: () => guarded(pick()) }

  function perform(action: SessionAction): void {
    switch (action.kind) {
      case 'exit':
        return onExit()
      case 'clear':
        return guarded(switchTo(undefined))
      case 'resume':
        return guarded(switchTo(action.id))
      case 'pick_conversation':
        return guarded(pick())
      case 'compact':
        return guarded(compact())
      case 'copy':
        return copy(action.text)
      default:
        return unreachable(action)
    }
  }

  async function switchTo(id: string | undefined): Promise<void> {
    await desk().switchTo(id)
    say(id === undefined ? 'A new conversation.' : `Conversation ${plainLine(id)}.`)
    onSwitched()
  }

  async function compact(): Promise<void> {
    const outcome = await desk().session().compact()
    if (outcome.kind === 'dropped') say('The model is at work. Stop it with Esc first, or wait.')
    if (outcome.kind === 'handled') say('Nothing has been said yet.')
  }

  /** Through the terminal, which also reaches the person's own machine when they work over SSH. */
  function copy(text: string): void {
    tui.terminal.write(`\u001B]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`)
    say('Copied, if your terminal lets programs copy.')
  }

  async function pick(): Promise<void> {
    const here = desk().session().status().conversation
    const all = (await desk().conversations()).filter(({ id }) => id !== here)
    if (all.length === 0) return say('There are no other conversations to go on with yet.')
    const named = all.map(({ id, title, changedAtMs, messages }) => ({
      value: id,
      detail: `${timeText(changedAtMs)}, ${messages} messages${title === undefined ? '' : `: ${title}`}`,
    }))
    const panel = formPanel({
      title: 'Which conversation?',
      fields: [{ name: 'id', title: 'The last one, or type a part of another', required: true, kind: 'choice' }],
      values: {},
      isPicker: true,
      check: (_, text) => (named.some(({ value }) => value === text) ? undefined : 'Take one from the list.'),
      complete: async (_, { typed }) =>
        rank(named, typed, ({ value, detail }) => `${value} ${detail}`).map(({ item }) => item),
      escape: 'stays in this one',
      tui,
      paint,
      onFilled({ id }) {
        place.panels.close(panel)
        guarded(switchTo(id))
      },
      onEscape: () => place.panels.close(panel),
      onKey: (key) => place.onAnyKey(key) || matchesKey(key, 'shift+tab'),
    })
    place.panels.open(panel, { isCalledFor: true })
  }

  function say(text: string): void {
    show(noticeBlock({ level: 'info', text }, paint))
  }

  function guarded(work: Promise<void>): void {
    const told = work.catch((error: unknown) => {
      if (!(error instanceof CapstanError)) throw error
      show(noticeBlock({ level: 'error', text: error.message, next: error.next }, paint))
    })
    place.detach(told)
  }
}
