/** Why a request is turned away before anything of it is run. */
export interface Refusal {
  readonly status: number
  readonly message: string
  /** Of JSON-RPC. */
  readonly code?: number
  readonly headers?: Readonly<Record<string, string>>
}

export function refusalBody({ code = -32_000, message }: Refusal): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
}
