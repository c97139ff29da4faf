import { unreachable } from '../errors.ts'
import type { Answer, Ask } from '../hub/api.ts'
import { formFields, readForm } from '../hub/asks/form-fields.ts'
import { askOrLeave } from './ask.ts'
import type { Io } from './command.ts'
import { fillForm } from './fill-form.ts'
import { openBrowser } from './open-browser.ts'
import { plainLine } from '../policy/plain-text.ts'
import { askLine, hostOf, quoted } from './render/ask.ts'

export interface Question {
  readonly ask: Ask
  /** What `--answer` gave, by the name of the field. */
  readonly answers: ReadonlyMap<string, string>
  /** Takes the names of answers that the form had a field for. */
  readonly used: Set<string>
}

/** An answer, or Ctrl-C. */
export type Reply = Answer | 'interrupted'

type FormAsk = Ask & { readonly kind: 'form' }
type PageAsk = Ask & { readonly kind: 'url' }

/** Answers where nobody can be asked: with what the flags say, or not at all, which is said on stderr. */
export async function answerByFlags(io: Io, { ask, answers, used }: Question): Promise<Answer> {
  if (ask.kind !== 'form') return decline(io, ask, whyNoPage(ask))
  const { given, content, problems } = filledIn(ask, answers, used)
  if (given.size > 0 && problems.length === 0) return { action: 'accept', content }
  const names = formFields(ask.schema).map(({ name }) => plainLine(name))
  const why = given.size === 0 ? 'No answer was given.' : problems.map(({ problem }) => plainLine(problem)).join(' ')
  const advice = names.length === 0 ? 'Run it on a terminal.' : `Answer with --answer FIELD=VALUE: ${names.join(', ')}.`
  return decline(io, ask, `${why} ${advice}`)
}

function whyNoPage({ kind }: Ask): string {
  return kind === 'url' ? 'Run it on a terminal to visit the page.' : noModel
}

const noModel = 'The command line has no model to ask.'

/** Asks the person at the terminal for what the flags leave open. */
export async function answerByPerson(
  io: Io,
  { ask, answers, used, signal }: Question & { readonly signal: AbortSignal },
): Promise<Reply> {
  switch (ask.kind) {
    case 'form': {
      const { given, content, problems } = filledIn(ask, answers, used)
      if (given.size > 0 && problems.length === 0) return { action: 'accept', content }
      return fillForm(io, ask, { given, signal })
    }
    case 'url':
      return visitPage(io, ask, signal)
    case 'sampling':
      return decline(io, ask, noModel)
    default:
      return unreachable(ask)
  }
}

/** The answers that have a field in a form, and the content they make. */
function filledIn({ schema }: FormAsk, answers: ReadonlyMap<string, string>, used: Set<string>) {
  const fields = formFields(schema)
  const given = new Map([...answers].filter(([name]) => fields.some((field) => field.name === name)))
  given.forEach((_, name) => used.add(name))
  return { given, ...readForm(fields, given) }
}

function decline(io: Io, ask: Ask, reason: string): Answer {
  io.err(`capstan: ${askLine(ask)} It was declined. ${reason}\n`)
  return { action: 'decline', reason }
}

/** Shows where a page is before it is opened: the address comes from a server. */
async function visitPage(io: Io, { server, message, url }: PageAsk, signal: AbortSignal): Promise<Reply> {
  const page = URL.parse(url)
  if (page === null) return { action: 'decline', reason: 'not a page' }
  io.err(`\nServer "${plainLine(server)}" wants you to visit a page at ${hostOf(url)}:\n  ${plainLine(page.href)}\n`)
  io.err(quoted(message))
  const typed = await askOrLeave(io, 'Open it?', { choices: ['yes', 'no'], signal })
  if (typed.kind === 'interrupted') return 'interrupted'
  if (typed.kind === 'ended' || typed.text === 'no') return { action: 'decline', reason: 'The person said no.' }
  const isOpen = await openBrowser(page.href, { env: io.env })
  io.err(isOpen ? 'The page was opened in your browser.\n' : 'No browser can be opened here: open the page yourself.\n')
  return { action: 'accept' }
}
