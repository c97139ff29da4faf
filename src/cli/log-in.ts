import { CapstanError } from '../errors.ts'
import type { Hub, OnAsk } from '../hub/api.ts'
import { ask } from './ask.ts'
import type { CommandContext, Io } from './command.ts'
import { openBrowser } from './open-browser.ts'
import { plainText } from '../policy/plain-text.ts'

type Room = Pick<CommandContext, 'io' | 'signal'>

/** Logs in to one server, with the person who is at the terminal. */
export async function logIn(
  hub: Hub,
  server: string,
  { io, signal, browser }: Room & { readonly browser: boolean },
): Promise<void> {
  await hub.control(server, 'login', { signal, onAsk: visitPage(io, browser) })
}

/** Asks whether to log in now; false when the person would rather not. */
export async function offerLogin(
  hub: Hub,
  refusal: CapstanError & { readonly server: string },
  room: Room,
): Promise<boolean> {
  const { io, signal } = room
  io.err(plainText(`capstan: ${refusal.message}\n`))
  const answer = await ask(io, `Log in to "${refusal.server}" now?`, { choices: ['yes', 'no'], default: 'yes', signal })
  if (answer === 'no') return false
  await logIn(hub, refusal.server, { ...room, browser: true })
  return true
}

/** Brings the person to the page of a login. The address is always shown: the browser may be on another machine. */
function visitPage(io: Io, browser: boolean): OnAsk {
  return async (question, { signal }) => {
    if (question.kind !== 'url' || question.purpose !== 'login') return { action: 'decline', reason: 'not a login' }
    const url = URL.parse(question.url)
    if (url === null || !['https:', 'http:'].includes(url.protocol)) return { action: 'decline', reason: 'not a page' }
    io.err(plainText(`To log in to "${question.server}", say yes at ${url.host}:\n  ${url.href}\n`))
    if (browser && (await openBrowser(url.href, { env: io.env }))) {
      io.err('The page was opened in your browser. Waiting for it to come back.\n')
      return { action: 'accept' }
    }
    if (browser) io.err('No browser can be opened here: open the page yourself.\n')
    if (browser && !io.stdinIsTerminal) return { action: 'accept' }
    const redirect = await pastedAddress(io, signal)
    return redirect === undefined ? { action: 'accept' } : { action: 'accept', content: { redirect } }
  }
}

/** The address that the browser was sent to in the end; undefined when no line comes: it may still come back by itself. */
async function pastedAddress(io: Io, signal: AbortSignal): Promise<string | undefined> {
  io.err('A browser on this machine comes back by itself. From another one, paste the address that it ends at.\n')
  try {
    const line = await ask(io, 'Address:', { signal })
    return line === '' ? undefined : line
  } catch (error) {
    const isEndOfInput = error instanceof CapstanError && error.code === 'cancelled' && !io.stdinIsTerminal
    if (isEndOfInput && !signal.aborted) return undefined
    throw error
  }
}
