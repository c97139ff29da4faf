import {
  ProtocolError,
  ProtocolErrorCode,
  type Client,
  type CreateMessageResult,
  type ElicitResult,
  type ListRootsResult,
} from '@modelcontextprotocol/client'
import { pathToFileURL } from 'node:url'
import { basename } from 'node:path'
import { CapstanError } from '../../errors.ts'
import type { Answer, Ask, JsonObject } from '../api.ts'
import type { AskRoute, AskRoutes } from './route-asks.ts'
import { readAsk, writeAnswer, type AskMethod } from './wire-asks.ts'
import { isObject } from '../../json.ts'

/** What a server may ask for. */
export interface AskRights {
  readonly sampling: boolean
  /** The folders it may know; absent when it may know none. */
  readonly roots?: readonly string[] | undefined
}

/** How the questions of one server are read and answered, in both eras. */
export interface AskAnswerer {
  /** What we tell the server that it may ask. */
  readonly capabilities: JsonObject
  /** Answers requests of the server (legacy era). */
  readonly serve: (client: Client) => void
  /** Answers questions that came inside a result (modern era). */
  readonly answerInputs: (inputs: JsonObject, route: AskRoute) => Promise<JsonObject>
}

type Put = (ask: Ask) => Promise<Answer>

/** One of the questions inside a result, under the server's own name for it. */
interface Input {
  readonly key: string
  readonly input: unknown
  readonly route: AskRoute
}

export function askAnswerer(
  server: string,
  rights: AskRights,
  routes: Pick<AskRoutes, 'answer' | 'roots'>,
): AskAnswerer {
  const { answer: put } = routes
  const { sampling, roots } = rights
  return {
    capabilities: {
      elicitation: { form: {}, url: {} },
      ...(sampling ? { sampling: {} } : {}),
      ...(roots === undefined ? {} : { roots: {} }),
    },
    serve(client) {
      // The SDK checks what we answer against the schema that it types it with.
      client.setRequestHandler(
        'elicitation/create',
        async ({ params }) => (await answer('elicitation/create', params as JsonObject, put)) as ElicitResult,
      )
      if (sampling) {
        client.setRequestHandler(
          'sampling/createMessage',
          async ({ params }) =>
            (await answer('sampling/createMessage', params as JsonObject, put)) as CreateMessageResult,
        )
      }
      if (roots !== undefined) {
        client.setRequestHandler(
          'roots/list',
          async () => ((await routes.roots()) ?? listRoots(roots)) as ListRootsResult,
        )
      }
    },
    async answerInputs(inputs, route) {
      const answers = Object.entries(inputs).map(
        async ([key, input]) => [key, await answerInput({ key, input, route })] as const,
      )
      return Object.fromEntries(await Promise.all(answers))
    },
  }

  async function answerInput({ key, input, route }: Input): Promise<JsonObject> {
    const { method, params } = isObject(input) ? input : {}
    const given = isObject(params) ? params : {}
    if (method === 'roots/list' && roots !== undefined) return (await route.roots()) ?? listRoots(roots)
    const isKnown = method === 'elicitation/create' || (method === 'sampling/createMessage' && sampling)
    if (!isKnown) throw refusal(`${JSON.stringify(method)} is not something that this server may ask for`)
    const answered = await answerTo(method, given, (ask) => route.answer({ ...ask, key }))
    if (answered !== undefined) return answered
    throw new CapstanError('ask_declined', `Server "${server}" wants an answer of a model, and nobody lent one.`, {
      server,
      next: 'Use a client that lends its model (sampling).',
    })
  }

  async function answer(method: AskMethod, params: JsonObject, asker: Put): Promise<JsonObject> {
    const answered = await answerTo(method, params, asker)
    if (answered === undefined) throw refusal('The person or program at the other end refused')
    return answered
  }

  /** Undefined when nobody lends a model: that has no answer of its own in the protocol. */
  async function answerTo(method: AskMethod, params: JsonObject, asker: Put): Promise<JsonObject | undefined> {
    const ask = readAsk(server, method, params)
    return 'refused' in ask ? { action: 'decline' } : writeAnswer(ask, await asker(ask))
  }
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message)
}

function listRoots(folders: readonly string[]) {
  return { roots: folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) }
}
