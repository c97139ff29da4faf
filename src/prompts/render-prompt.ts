import { CapstanError } from '../errors.ts'
import { argumentValues } from './argument-values.ts'
import { joinPieces, type Piece } from './join-pieces.ts'
import type { Prompt, PromptContent, PromptMessage, PromptStep } from './prompt.ts'
import { parseTemplate, type TemplateNodes } from './template.ts'

export interface RenderOptions {
  /** Finds what `{{> name}}` names; without it such a prompt cannot be rendered. */
  readonly include?: (name: string) => Promise<Prompt>
}

/**
 * The messages with the values filled in, in one pass: what a value holds is never looked at again. The steps of a runbook come
 * last, as one numbered list.
 */
export async function renderPrompt(
  prompt: Prompt,
  given: Readonly<Record<string, string>> = {},
  { include }: RenderOptions = {},
): Promise<readonly PromptMessage[]> {
  const scope: Scope = {
    prompt,
    values: argumentValues(prompt, given),
    include,
    chain: [prompt.name],
    budget: { includes: maxIncludes, characters: maxCharacters },
  }
  const messages: PromptMessage[] = []
  for (const { role, content } of prompt.messages) messages.push({ role, content: await renderContent(content, scope) })
  const steps = await renderSteps(prompt.steps ?? [], scope)
  return steps === '' ? messages : [...messages, { role: 'user', content: { type: 'text', text: steps } }]
}

const maxDepth = 8
const maxIncludes = 200
const maxCharacters = 8 * 1024 * 1024

interface Scope {
  readonly prompt: Prompt
  readonly values: ReadonlyMap<string, string>
  readonly include: RenderOptions['include']
  /** The prompts that led here, each including the next. */
  readonly chain: readonly string[]
  /** Shared by all that one rendering includes: a few prompts that include each other twice would else make gigabytes. */
  readonly budget: { includes: number; characters: number }
}

async function renderContent(content: PromptContent, scope: Scope): Promise<PromptContent> {
  if (content.type === 'text') return { ...content, text: await renderText(content.text, scope) }
  if (content.type !== 'resource' || !('text' in content.resource)) return content
  return { ...content, resource: { ...content.resource, text: await renderText(content.resource.text, scope) } }
}

async function renderSteps(steps: readonly PromptStep[], scope: Scope): Promise<string> {
  const rendered: string[] = []
  for (const [index, { title, text = '' }] of steps.entries()) {
    const number = `${index + 1}. `
    const body = await renderText(text, scope)
    const indented = body.replaceAll(/^(?=.)/gm, ' '.repeat(number.length))
    rendered.push(`${number}${await renderText(title, scope)}${body === '' ? '' : `\n${indented}`}`)
  }
  return rendered.join('\n')
}

async function renderText(text: string, scope: Scope): Promise<string> {
  const declared = new Set(scope.prompt.arguments.map(({ name }) => name))
  const nodes = parseTemplate(text, { declared, isPlus: scope.prompt.template === 'plus' })
  const rendered = joinPieces(await piecesOf(nodes, scope))
  scope.budget.characters -= rendered.length
  if (scope.budget.characters < 0) throw endless(scope, `more than ${maxCharacters} characters`)
  return rendered
}

async function piecesOf(nodes: TemplateNodes, scope: Scope): Promise<readonly Piece[]> {
  const pieces: Piece[] = []
  for (const node of nodes) {
    if (node.kind === 'text') pieces.push({ kind: 'literal', text: node.text })
    else if (node.kind === 'argument') pieces.push(pieceOf(scope.values.get(node.name)))
    else if (node.kind === 'include') pieces.push({ kind: 'value', text: await renderIncluded(node.prompt, scope) })
    else {
      const branch = await piecesOf(isTrue(node.name, scope) ? node.whenTrue : node.otherwise, scope)
      pieces.push(...(branch.length === 0 ? [{ kind: 'gone' } as const] : branch))
    }
  }
  return pieces
}

function pieceOf(value: string | undefined): Piece {
  return value === undefined ? { kind: 'gone' } : { kind: 'value', text: value }
}

function isTrue(name: string, { prompt, values }: Scope): boolean {
  const argument = prompt.arguments.find((declared) => declared.name === name)
  return values.has(name) && !(argument?.type === 'boolean' && values.get(name) === 'false')
}

/** The texts of another prompt, with the values that this one has for the arguments which that one declares. */
async function renderIncluded(name: string, scope: Scope): Promise<string> {
  const chain = [...scope.chain, name]
  if (scope.chain.includes(name)) throw endless(scope, `a circle: ${chain.join(' → ')}`)
  if (chain.length > maxDepth) throw endless(scope, `more than ${maxDepth} levels: ${chain.join(' → ')}`)
  scope.budget.includes -= 1
  if (scope.budget.includes < 0) throw endless(scope, `more than ${maxIncludes} inclusions`)
  const prompt = await findIncluded(name, scope)
  const passed = prompt.arguments.flatMap((argument) => {
    const value = scope.values.get(argument.name)
    return value === undefined ? [] : [[argument.name, value]]
  })
  const inner = { ...scope, prompt, chain, values: argumentValues(prompt, Object.fromEntries(passed)) }
  const texts: string[] = []
  for (const { content } of prompt.messages) {
    if (content.type === 'text') texts.push(await renderText(content.text, inner))
  }
  return texts.join('\n\n')
}

async function findIncluded(name: string, { include, chain }: Scope): Promise<Prompt> {
  const where = `Prompt "${chain.at(-1)}" includes "${name}"`
  if (include === undefined) throw new CapstanError('prompt_invalid', `${where}, but there are no other prompts here.`)
  try {
    return await include(name)
  } catch (error) {
    if (!(error instanceof CapstanError) || error.code !== 'prompt_unknown') throw error
    throw new CapstanError('prompt_invalid', `${where}, which does not exist.`, {
      cause: error,
      next: `Add a prompt "${name}", or correct {{> ${name}}}.`,
    })
  }
}

function endless({ chain }: Scope, what: string): CapstanError {
  return new CapstanError('prompt_invalid', `Prompt "${chain[0]}" cannot be rendered: its inclusions make ${what}.`, {
    next: 'Remove one of the {{> …}}.',
  })
}
