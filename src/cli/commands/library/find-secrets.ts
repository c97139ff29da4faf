import { maskSecret } from '../../../policy/secrets.ts'
import { secretSpans } from '../../../policy/secret-text.ts'
import type { PromptDraft } from '../../../prompts/prompt.ts'

export interface SecretInPrompt {
  /** `messages[0], line 3` */
  readonly where: string
  readonly masked: string
}

/** What looks like a token or a password in the texts of a prompt, also where a line names it: `api_key: …`. */
export function findSecretsIn(prompt: PromptDraft): readonly SecretInPrompt[] {
  return textsOf(prompt).flatMap(([where, text]) => {
    return text.split('\n').flatMap((line, at) => {
      return spansIn(line).map((value) => ({ where: `${where}, line ${at + 1}`, masked: maskSecret(value) }))
    })
  })
}

function spansIn(line: string): readonly string[] {
  const [, name = '', value = ''] = /([\w-]{3,40})["']?\s*[:=]\s*["']?([^\s"'`,;]+)/.exec(line) ?? []
  // In running text a word behind "password:" is an explanation; a key has digits, too.
  const named = /\d/.test(value) && /[A-Za-z]/.test(value) && value.length >= 12 ? secretSpans(name, value) : []
  const found = [
    ...secretSpans('', line).map(({ start, end }) => line.slice(start, end)),
    ...named.map(({ start, end }) => value.slice(start, end)),
  ]
  return [...new Set(found)].filter((one) => !isStandIn(one))
}

/** Prompts explain how to use keys, with names in their place: `{{key}}`, `<API_KEY>`, `{API_KEY}`. */
function isStandIn(text: string): boolean {
  return /\{\{/.test(text) || /^[<{[(]/.test(text) || /^\W*[A-Z][A-Z_]*\W*$/.test(text)
}

function textsOf(prompt: PromptDraft): readonly (readonly [string, string])[] {
  const { title = '', description = '', messages, steps = [] } = prompt
  return [
    ['title', title],
    ['description', description],
    ...prompt.arguments.map((argument) => [`arguments.${argument.name}`, argumentText(argument)] as const),
    ...messages.flatMap(({ content }, at) =>
      content.type === 'text' ? [[`messages[${at}]`, content.text] as const] : [],
    ),
    ...steps.map(({ title: step, text = '' }, at) => [`steps[${at}]`, `${step}\n${text}`] as const),
    ...(prompt.meta === undefined ? [] : [['meta', JSON.stringify(prompt.meta, undefined, 1)] as const]),
  ]
}

function argumentText({
  description = '',
  default: preset = '',
  examples = [],
}: PromptDraft['arguments'][number]): string {
  return [description, preset, ...examples].join('\n')
}
