import { ProcessTerminal } from '@earendil-works/pi-tui'
import { openInputHistory } from '../../agent/input-history.ts'
import { steadyHub } from '../../daemon/steady-hub.ts'
import { CapstanError, messageOf } from '../../errors.ts'
import { homeFolder, places } from '../../files/places.ts'
import type { Hub } from '../../hub/api.ts'
import type { Desk } from '../../terminal/desk.ts'
import { openScreen, type Screen } from '../../terminal/open-screen.ts'
import { asTyped } from '../as-typed.ts'
import type { CommandContext, Io } from '../command.ts'
import { openContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { openBrowser } from '../open-browser.ts'
import { sourceFlags } from '../render/suggestions.ts'
import { type Beginning, openDesk } from './open-desk.ts'

export interface SessionWish {
  readonly beginning: Beginning
  readonly model: string | undefined
  /** Sent first, as if it had been typed. */
  readonly line: string | undefined
}

/** A session on the terminal, from its first frame until the person leaves. */
export async function holdSession(context: CommandContext, wish: SessionWish): Promise<number> {
  const { io, flags, signal } = context
  using mishap = watchProcess()
  await using screen = openScreen({
    terminal: new ProcessTerminal(),
    env: io.env,
    inputs: openInputHistory(places(io.env).state),
    openPage: (url) => openBrowser(url, { env: io.env }),
  })
  // The terminal is the screen's now: nothing else may ask on it or write to it.
  const open = () =>
    openContext({
      io: onScreen(io, screen),
      flags: { ...flags, mayAsk: false },
      interrupted: signal,
      onInput: screen.onInput,
    })
  await using hub = openServers(open, screen)
  const opening = seatAt(open(), { hub, screen }, wish)
  const failing = opening.then(() => new Promise<void>(() => {}))
  try {
    await Promise.race([screen.left, whenAborted(signal), mishap.happened, failing])
  } finally {
    // The person sees at once that it is over; what runs behind it ends after that.
    await screen[Symbol.asyncDispose]()
    const desk = await opening.catch(() => undefined)
    if (desk !== undefined) sayHowToGoOn(desk, context)
    await desk?.[Symbol.asyncDispose]()
  }
  return signal.aborted ? exitCodes.interrupted : exitCodes.ok
}

/** The hub behind a session: opened when it is first needed, and again when the daemon has gone. */
function openServers(open: () => CommandContext, screen: Screen): Hub {
  let told = ''
  return steadyHub({
    async open() {
      try {
        // Each time by a context of its own, which would keep the one that was lost. Nobody is asked for trust here: what waits
        // for it is part of the overview.
        const hub = await open().openHub(() => [])
        told = ''
        return { hub, lost: hub.closed }
      } catch (error) {
        const text = `The servers cannot be reached: ${messageOf(error)}`
        if (text !== told)
          screen.say({ level: 'error', text, next: error instanceof CapstanError ? error.next : undefined })
        told = text
        throw error
      }
    },
    onReopened: () => screen.say({ level: 'info', text: 'The servers are there again.' }),
    note: (text) => screen.say({ level: 'warning', text }),
  })
}

interface Seat {
  readonly hub: Hub
  readonly screen: Screen
}

/** Opens what the screen drives, behind its first frame. */
async function seatAt(
  own: CommandContext,
  { hub, screen }: Seat,
  { beginning, model, line }: SessionWish,
): Promise<Desk & AsyncDisposable> {
  // First, because without it there is nothing to open.
  const config = await own.loadConfig()
  const desk = await openDesk({ hub, config, screen, beginning, model })
  screen.attach(desk)
  if (config.servers.length === 0) await sayWhatOthersHave(own, screen)
  if (beginning.kind === 'picked') screen.pickConversation()
  if (line !== undefined) screen.submit(line)
  return desk
}

async function sayWhatOthersHave({ io, flags }: CommandContext, screen: Screen): Promise<void> {
  // Files that the person named are all there is; other clients have nothing to do with them.
  if (flags.config.length > 0) return
  const [{ findImportable }, { importNews }] = await Promise.all([
    import('../../config/import/find-importable.ts'),
    import('./import-news.ts'),
  ])
  const { env, cwd } = io
  const news = importNews(await findImportable({ env, cwd, home: homeFolder(env), platform: process.platform }))
  if (news !== undefined) screen.say({ ...news, next: asTyped(news.next, io) })
}

function onScreen(io: Io, screen: Screen): Io {
  const err = (text: string): void => {
    const isWarning = text.startsWith('warning: ')
    screen.say({ level: isWarning ? 'warning' : 'info', text: text.replace(/^(?:warning|capstan): /, '').trimEnd() })
  }
  // Not a copy: where the current folder is gone, asking for it throws.
  return Object.create(io, { err: { value: err } }) as Io
}

function sayHowToGoOn(desk: Desk, { io, flags }: CommandContext): void {
  const session = desk.session()
  if (session.history().every(({ kind }) => kind !== 'user')) return
  const command = ['capstan --resume', session.status().conversation, ...sourceFlags(flags)].join(' ')
  io.err(`To go on with this conversation: ${command}\n`)
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** A bug must not leave the terminal as the screen needs it, and a terminal that has gone away is no bug. */
function watchProcess(): Disposable & { readonly happened: Promise<void> } {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  process.once('uncaughtException', reject)
  process.once('unhandledRejection', reject)
  process.stdout.on('error', resolve)
  return {
    happened: promise,
    [Symbol.dispose]() {
      process.off('uncaughtException', reject)
      process.off('unhandledRejection', reject)
    },
  }
}
