import { escapeXml } from './entities.ts'
import { isElementName } from './parse-call.ts'
import { asRecord } from './type-parameters.ts'

/** A call as a model writes it: an element for each parameter, or JSON where a name cannot be an element's. */
export function callInXml(name: string, input: unknown): string {
  const entries = Object.entries(asRecord(input) ?? {})
  if (!entries.every(([key]) => isElementName(key))) return `<${name}>\n${JSON.stringify(input)}\n</${name}>`
  const lines = entries.map(([key, value]) => {
    return `<${key}>${escapeXml(typeof value === 'string' ? value : JSON.stringify(value))}</${key}>`
  })
  return [`<${name}>`, ...lines, `</${name}>`].join('\n')
}
