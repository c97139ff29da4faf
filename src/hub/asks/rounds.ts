import { CapstanError } from '../../errors.ts'
import type { JsonObject } from '../api.ts'
import { isObject } from '../../json.ts'

/** Answers the questions of one round, by their keys. */
export type AnswerInputs = (inputs: JsonObject) => Promise<JsonObject>

interface Rounds {
  readonly server: string
  readonly params: JsonObject
  readonly answer: AnswerInputs
}

const maxRounds = 8

/** Sends a request, and again with the answers for as long as the server asks (multi round-trip requests of the modern era). */
export async function inRounds(
  { server, params, answer }: Rounds,
  send: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  let asked = params
  for (let round = 0; round <= maxRounds; round++) {
    const result = await send(asked)
    if (result['resultType'] !== 'input_required') return result
    const { inputRequests, requestState } = result
    asked = {
      ...params,
      ...(isObject(inputRequests) ? { inputResponses: await answer(inputRequests) } : {}),
      // Exactly as it came, and none where none came.
      ...(requestState === undefined ? {} : { requestState }),
    }
  }
  throw new CapstanError('server_error', `Server "${server}" kept asking: ${maxRounds} rounds were answered.`, {
    server,
    next: `Run: capstan doctor ${server}`,
  })
}
