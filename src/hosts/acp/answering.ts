import { RequestError } from '@agentclientprotocol/sdk'
import { CapstanError } from '../../errors.ts'

/** Lets a handler fail as the rest of the program does: what is expected reaches the person with the next step. */
export function answering<Context, Response>(
  work: (context: Context) => Promise<Response>,
): (context: Context) => Promise<Response> {
  return async (context) => {
    try {
      return await work(context)
    } catch (error) {
      throw error instanceof CapstanError ? requestError(error) : error
    }
  }
}

function requestError(error: CapstanError): RequestError {
  const { message, next } = error
  const isMistake = error.code === 'usage' || error.code === 'arguments_invalid' || error.code === 'model_unknown'
  return new RequestError(isMistake ? -32602 : -32603, [message, next].filter(Boolean).join('\n'), error.toJSON())
}
