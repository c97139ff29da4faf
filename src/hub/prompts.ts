import { CapstanError } from '../errors.ts'
import type {
  Completion,
  JsonObject,
  OnAsk,
  OnRoots,
  PromptEntry,
  PromptRef,
  PromptResult,
  TemplateRef,
} from './api.ts'
import { closest } from './catalogue/names.ts'
import type { LiveServer } from './servers/server.ts'

interface PromptRequest {
  readonly args: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  readonly onAsk?: OnAsk | undefined
  readonly onRoots?: OnRoots | undefined
}

/** Renders a prompt, after checking its name and its arguments against the catalogue. */
export async function renderPrompt(
  server: LiveServer,
  ref: PromptRef,
  { args, signal, onAsk, onRoots }: PromptRequest,
): Promise<PromptResult> {
  await server.connection(signal)
  const isMeant = (entry: PromptEntry) => entry.prompt === ref.prompt
  const known = (await server.list('prompts', { signal })).entries.find(isMeant)
  // Not every server announces its changes: ask once more before saying no.
  const entries = known === undefined ? (await server.list('prompts', { signal, fresh: true })).entries : [known]
  const prompt = entries.find(isMeant)
  if (prompt === undefined) {
    const near = closest(
      `${ref.server}:${ref.prompt}`,
      entries.map((entry) => entry.id),
    )
    throw new CapstanError('prompt_unknown', `Server "${ref.server}" has no prompt "${ref.prompt}".${near}`, {
      server: ref.server,
      next: 'Run: capstan list --prompts',
    })
  }
  assertArguments(prompt, args)
  const result = await server.request('prompts/get', { name: ref.prompt, arguments: args }, { signal, onAsk, onRoots })
  return (Array.isArray(result['messages']) ? result : { ...result, messages: [] }) as PromptResult
}

function assertArguments(prompt: PromptEntry, args: Readonly<Record<string, string>>): void {
  const declared = prompt.arguments ?? []
  const names = declared.map((argument) => argument.name)
  const missing = declared.filter((argument) => argument.required === true && !Object.hasOwn(args, argument.name))
  const unknown = Object.keys(args).filter((name) => !names.includes(name))
  const problems = [
    ...missing.map((argument) => `"${argument.name}" is missing`),
    ...unknown.map((name) => `there is no argument "${name}".${closest(name, names)}`),
  ]
  if (problems.length === 0) return
  throw new CapstanError('arguments_invalid', `Bad arguments for ${prompt.id}: ${problems.join('; ')}.`, {
    server: prompt.server,
    next: `Run: capstan inspect ${prompt.id}`,
  })
}

interface CompletionRequest {
  readonly argument: { readonly name: string; readonly value: string }
  readonly context?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The values a server suggests for an argument; none when it does not complete. */
export async function completeArgument(
  server: LiveServer,
  target: PromptRef | TemplateRef,
  { argument, context, signal }: CompletionRequest,
): Promise<Completion> {
  const live = await server.connection(signal)
  if (!live.completes) return { values: [] }
  const ref =
    'prompt' in target ? { type: 'ref/prompt', name: target.prompt } : { type: 'ref/resource', uri: target.uriTemplate }
  const result = await server.request(
    'completion/complete',
    { ref, argument, ...(context === undefined ? {} : { context: { arguments: context } }) },
    { signal },
  )
  return readCompletion(result)
}

function readCompletion({ completion }: JsonObject): Completion {
  if (typeof completion !== 'object' || completion === null || Array.isArray(completion)) return { values: [] }
  const { values, total, hasMore } = completion as JsonObject
  return {
    values: Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [],
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof hasMore === 'boolean' ? { hasMore } : {}),
  }
}
