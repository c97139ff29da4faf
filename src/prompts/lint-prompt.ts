import { messageOf } from '../errors.ts'
import type { Prompt } from './prompt.ts'
import { parseTemplate, undeclaredIn, usesBlocks, type TemplateNodes, type TemplateRules } from './template.ts'

/** Something about a prompt that a person should look at. Only an `error` keeps it from being rendered. */
export interface LintFinding {
  readonly severity: 'error' | 'warning'
  /** `messages[0]`, `arguments.focus` … */
  readonly where: string
  readonly message: string
}

export function lintPrompt(prompt: Prompt): readonly LintFinding[] {
  const rules = rulesOf(prompt)
  const texts = textsOf(prompt)
  const used = new Set(texts.flatMap(([, text]) => argumentsIn(parsed(text, rules))))
  return [
    ...texts.flatMap(([where, text]) => findingsIn(text, { where, rules })),
    ...prompt.arguments
      .filter(({ name }) => !used.has(name))
      .map(({ name }) => warning(`arguments.${name}`, `"${name}" is declared but {{${name}}} is nowhere in the text`)),
    ...(prompt.description === undefined || prompt.description === ''
      ? [warning('description', 'there is none, which makes the prompt hard to find')]
      : []),
  ]
}

/** The prompts that this one includes, each once. */
export function includesOf(prompt: Prompt): readonly string[] {
  const rules = rulesOf(prompt)
  return [...new Set(textsOf(prompt).flatMap(([, text]) => includesIn(parsed(text, rules))))]
}

function rulesOf(prompt: Prompt): TemplateRules {
  return { declared: new Set(prompt.arguments.map(({ name }) => name)), isPlus: prompt.template === 'plus' }
}

/** Every text that is a template, with where it stands. */
function textsOf({ messages, steps = [] }: Prompt): readonly (readonly [string, string])[] {
  return [
    ...messages.flatMap(({ content }, index): readonly (readonly [string, string])[] => {
      if (content.type === 'text') return [[`messages[${index}]`, content.text]]
      return content.type === 'resource' && 'text' in content.resource
        ? [[`messages[${index}]`, content.resource.text]]
        : []
    }),
    ...steps.map(({ title, text = '' }, index) => [`steps[${index}]`, `${title}\n${text}`] as const),
  ]
}

function findingsIn(
  text: string,
  { where, rules }: { readonly where: string; readonly rules: TemplateRules },
): readonly LintFinding[] {
  return [
    ...syntaxErrors(text, rules).map((message): LintFinding => ({ severity: 'error', where, message })),
    ...undeclaredIn(text, rules).map((name) =>
      warning(where, `{{${name}}} stays as it is: no argument of that name is declared`),
    ),
    ...(!rules.isPlus && usesBlocks(text)
      ? [warning(where, '{{#if …}} and {{> …}} stay as they are: the prompt has no "template": "plus"')]
      : []),
  ]
}

function syntaxErrors(text: string, rules: TemplateRules): readonly string[] {
  try {
    parseTemplate(text, rules)
    return []
  } catch (error) {
    return [messageOf(error)]
  }
}

/** Nothing for a text that does not parse: that is a finding of its own. */
function parsed(text: string, rules: TemplateRules): TemplateNodes {
  return syntaxErrors(text, rules).length === 0 ? parseTemplate(text, rules) : []
}

function argumentsIn(nodes: TemplateNodes): readonly string[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'if') return [node.name, ...argumentsIn(node.whenTrue), ...argumentsIn(node.otherwise)]
    return node.kind === 'argument' ? [node.name] : []
  })
}

function includesIn(nodes: TemplateNodes): readonly string[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'if') return [...includesIn(node.whenTrue), ...includesIn(node.otherwise)]
    return node.kind === 'include' ? [node.prompt] : []
  })
}

function warning(where: string, message: string): LintFinding {
  return { severity: 'warning', where, message }
}
