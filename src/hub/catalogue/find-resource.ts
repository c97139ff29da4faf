import type { Catalogue } from '../api.ts'

/** The servers that can answer for a URI: those that list it, else those with a template that fits it. */
export function serversForResource(catalogue: Catalogue, uri: string): readonly string[] {
  const listing = catalogue.resources.filter((resource) => resource.uri === uri)
  const fitting =
    listing.length > 0 ? listing : catalogue.templates.filter((template) => fitsTemplate(template.uriTemplate, uri))
  return [...new Set(fitting.map(({ server }) => server))]
}

/**
 * Whether a URI can come from a URI template (RFC 6570): the fixed parts match, each expression stands for some text. Goes
 * through both once and keeps all places where a part can end; a regular expression of a hostile template would backtrack for ever.
 */
export function fitsTemplate(template: string, uri: string): boolean {
  const parts = template.split(/(\{[^{}]*\})/).filter((part) => part !== '')
  const start = Array.from({ length: uri.length + 1 }, (_, at) => at === 0)
  const ends = parts.reduce<readonly boolean[]>(
    (starts, part) => (part.startsWith('{') && part.endsWith('}') ? endsOfExpression : endsOfText)(starts, part, uri),
    start,
  )
  return ends.at(-1) === true
}

function endsOfText(starts: readonly boolean[], text: string, uri: string): readonly boolean[] {
  return starts.map((_, at) => starts[at - text.length] === true && uri.startsWith(text, at - text.length))
}

function endsOfExpression(starts: readonly boolean[], expression: string, uri: string): readonly boolean[] {
  switch (expression.charAt(1)) {
    case '+':
    case '#':
      return spread(starts, uri, () => true)
    case '?':
    case '&':
      return orNothing(starts, uri, '?&')
    case '/':
      return orNothing(starts, uri, '/')
    default:
      return spread(starts, uri, (letter) => !'/?#'.includes(letter))
  }
}

/** An expression that stands for nothing, or for a text that begins with its own sign. */
function orNothing(starts: readonly boolean[], uri: string, signs: string): readonly boolean[] {
  const withSign = starts.map((isStart, at) => isStart && signs.includes(uri.charAt(at)) && at < uri.length)
  const ends = spread(withSign, uri, () => true)
  return starts.map((isStart, at) => isStart || ends[at] === true)
}

/** Where a text of one or more allowed letters can end that begins at one of the starts. */
function spread(starts: readonly boolean[], uri: string, allows: (letter: string) => boolean): readonly boolean[] {
  let isOpen = false
  return starts.map((isStart, at) => {
    const canEnd = isOpen
    isOpen = (isOpen || isStart) && at < uri.length && allows(uri.charAt(at))
    return canEnd
  })
}
