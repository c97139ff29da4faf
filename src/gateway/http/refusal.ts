/** Why a request is turned away before anything of it is run. */
export interface Refusal {
  readonly status: number
  readonly message: string
  /** Of JSON-RPC. */
  readonly code?: number
  /** The request it answers, where that is known. */
  readonly id?: string | number | null
  readonly headers?: Readonly<Record<string, string>>
}

export function refusalBody({ code = -32_000, id = null, message }: Refusal): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

export function refusalResponse(refusal: Refusal): Response {
  const headers = { 'content-type': 'application/json', ...refusal.headers }
  return new Response(refusalBody(refusal), { status: refusal.status, headers })
}
