import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'

export type Say = (who: string, text: string) => void

/** A scripted agent: a client of one era that calls what it is told to, and says what came back. */
export interface Agent extends AsyncDisposable {
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>, options?: CallWishes) => Promise<boolean>
}

export interface CallWishes {
  readonly onprogress?: () => void
}

export interface AgentSetup {
  readonly name: string
  readonly protocol: '2025-11-25' | '2026-07-28'
  readonly url: URL
  readonly token: string
  readonly say: Say
  readonly signal: AbortSignal
}

export async function openAgent({ name, protocol, url, token, say, signal }: AgentSetup): Promise<Agent> {
  const mode = protocol === '2025-11-25' ? 'legacy' : { pin: protocol }
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }), { signal })
  const { tools } = await client.listTools()
  say(name, `connected with ${client.getNegotiatedProtocolVersion() ?? protocol}, sees ${tools.length} tools`)
  return {
    async call(tool, args, options = {}) {
      const startedAtMs = performance.now()
      const result = await client.callTool({ name: tool, arguments: args }, { ...options, signal })
      const tookMs = Math.round(performance.now() - startedAtMs)
      const isGood = result.isError !== true
      say(name, `${isGood ? '✓' : '✗'} ${tool}: ${firstLine(result)} (${tookMs} ms)`)
      return isGood
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function firstLine({ content }: CallToolResult): string {
  const [block] = content
  const text = block?.type === 'text' ? block.text : ''
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 70 ? `${line.slice(0, 69)}…` : line
}
