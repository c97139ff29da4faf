import type { Catalogue } from './api.ts'

/** The servers that can answer for a URI: those that list it, else those with a template that fits it. */
export function serversForResource(catalogue: Catalogue, uri: string): readonly string[] {
  const listing = catalogue.resources.filter((resource) => resource.uri === uri)
  const fitting =
    listing.length > 0 ? listing : catalogue.templates.filter((template) => fitsTemplate(template.uriTemplate, uri))
  return [...new Set(fitting.map(({ server }) => server))]
}

/** Whether a URI can come from a URI template (RFC 6570): the fixed parts match, each expression stands for some text. */
function fitsTemplate(template: string, uri: string): boolean {
  const pattern = template
    .split(/(\{[^{}]*\})/)
    .map((part) => (part.startsWith('{') && part.endsWith('}') ? expressionPattern(part) : escaped(part)))
    .join('')
  return new RegExp(`^${pattern}$`).test(uri)
}

function expressionPattern(expression: string): string {
  return patternByOperator[expression.charAt(1)] ?? '[^/?#]+'
}

const patternByOperator: Readonly<Record<string, string>> = {
  '+': '.+',
  '#': '.+',
  '?': '(?:[?].*)?',
  '&': '(?:&.*)?',
  '/': '(?:/.*)?',
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)
}
