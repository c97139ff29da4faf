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
import type { Answer, Ask, JsonObject } from '../api.ts'
import type { AskRoute, AskRoutes } from './route-asks.ts'
import { readAsk, writeAnswer, type AskMethod } from './wire-asks.ts'

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
        async ([key, input]) => [key, await answerInput(input, route)] as const,
      )
      return Object.fromEntries(await Promise.all(answers))
    },
  }

  async function answerInput(input: unknown, route: AskRoute): Promise<JsonObject> {
    const { method, params } = isObject(input) ? input : {}
    const given = isObject(params) ? params : {}
    if (method === 'roots/list' && roots !== undefined) return (await route.roots()) ?? listRoots(roots)
    const isKnown = method === 'elicitation/create' || (method === 'sampling/createMessage' && sampling)
    if (!isKnown) throw refusal(`${JSON.stringify(method)} is not something that this server may ask for`)
    return answer(method, given, route.answer)
  }

  async function answer(method: AskMethod, params: JsonObject, asker: Put): Promise<JsonObject> {
    const ask = readAsk(server, method, params)
    if ('refused' in ask) return { action: 'decline' }
    const written = writeAnswer(ask, await asker(ask))
    if (written === undefined) throw refusal('The person or program at the other end refused')
    return written
  }
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message)
}

function listRoots(folders: readonly string[]) {
  return { roots: folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
