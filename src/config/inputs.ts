import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CapstanError } from '../errors.ts'
import { places } from '../files/places.ts'
import type { InputDeclaration } from './types.ts'
import { isObject } from '../json.ts'

/** Asks for an entry's `${input:id}`; `file` is the one the entry stands in. */
export interface InputRequest {
  readonly id: string
  readonly server: string
  readonly file: string
}

export type AnswerInput = (request: InputRequest) => Promise<string | undefined>

/** What a person is asked. */
export interface InputQuestion extends InputRequest {
  readonly declaration?: InputDeclaration
}

export interface InputsOptions {
  /** Where answers are kept. */
  readonly file: string
  readonly declarations?: readonly InputDeclaration[]
  /** Asks the person; absent where nobody can answer. */
  readonly ask?: (question: InputQuestion) => Promise<string>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Answers are secrets more often than not, so they are kept in the state folder, readable by their owner alone. */
export function inputsFile(env: Environment): string {
  return join(places(env).state, 'inputs.json')
}

/** The environment variable that answers an input, for places where nobody can be asked. */
export function inputVariable(id: string): string {
  return `CAPSTAN_INPUT_${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`
}

/** Answers inputs from the kept answers, and asks for those that are missing: each once, and one at a time. */
export function openInputs({ file, declarations = [], ask }: InputsOptions): AnswerInput {
  const pending = new Map<string, Promise<string | undefined>>()
  let lastQuestion: Promise<unknown> = Promise.resolve()

  return (request) => {
    const key = keyOf(request)
    const answer = pending.get(key) ?? findOrAsk(request)
    pending.set(key, answer)
    return answer.finally(() => pending.delete(key))
  }

  async function findOrAsk(request: InputRequest): Promise<string | undefined> {
    const kept = (await readAnswers(file)).get(keyOf(request))
    return kept ?? (ask === undefined ? undefined : await inTurn(() => askAndKeep(request, ask)))
  }

  function inTurn(question: () => Promise<string>): Promise<string> {
    const turn = lastQuestion.then(question, question)
    lastQuestion = turn
    return turn
  }

  async function askAndKeep(request: InputRequest, ask: (question: InputQuestion) => Promise<string>): Promise<string> {
    const declaration = declarations.find(({ id, file }) => id === request.id && file === request.file)
    const answer = await ask({ ...request, ...(declaration === undefined ? {} : { declaration }) })
    await keepAnswer(file, keyOf(request), answer)
    return answer
  }
}

/** The same id in two files is two inputs: a project must not get what was answered for another. */
function keyOf({ file, id }: InputRequest): string {
  return JSON.stringify([file, id])
}

async function keepAnswer(file: string, key: string, answer: string): Promise<void> {
  const [{ withLock }, { writeFileAtomic }] = await Promise.all([
    import('../files/lock.ts'),
    import('../files/atomic-write.ts'),
  ])
  await withLock(file, async () => {
    const answers = new Map(await readAnswers(file)).set(key, answer)
    const list = Array.from(answers, ([known, value]) => ({ input: JSON.parse(known) as unknown, value }))
    await writeFileAtomic(file, `${JSON.stringify({ answers: list }, undefined, 2)}\n`, { mode: 0o600 })
  })
}

async function readAnswers(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, 'utf8').catch(ifMissing)
  if (text === undefined) return new Map()
  const list = parseAnswers(text)
  if (list !== undefined) return new Map(list)
  throw new CapstanError('config_invalid', `${file}, where the answers to inputs are kept, cannot be read.`, {
    next: `Remove ${file}; Capstan then asks again.`,
  })
}

function parseAnswers(text: string): readonly (readonly [string, string])[] | undefined {
  try {
    const root: unknown = JSON.parse(text)
    if (!isObject(root) || !Array.isArray(root['answers'])) return undefined
    return root['answers'].flatMap((item: unknown) =>
      isObject(item) && typeof item['value'] === 'string'
        ? [[JSON.stringify(item['input']), item['value']] as const]
        : [],
    )
  } catch {
    return undefined
  }
}

function ifMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
