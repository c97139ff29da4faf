import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client, type ClientOptions, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { openLibrary, type LibrarySettings } from '../../../src/prompts/open-library.ts'
import { openProposals, type Proposals } from '../../../src/prompts/proposals.ts'
import { makePromptSearch } from '../../../src/prompts/search.ts'
import type { PromptStore } from '../../../src/prompts/store.ts'
import type { Library, Writing } from '../../../src/prompts/server/library.ts'
import { seenValues } from '../../../src/prompts/server/seen-values.ts'
import { serverLog } from '../../../src/prompts/server/server-log.ts'
import { servePrompts } from '../../../src/prompts/server/serve-stdio.ts'
import { tempFolder, type TempFolder } from '../../config/temp-folder.ts'

export interface TestLibrary extends AsyncDisposable {
  readonly folder: TempFolder
  readonly store: PromptStore
  readonly proposals: Proposals
  readonly library: Library
  readonly skillFolders: readonly string[]
  /** What was written to the log. */
  readonly logged: () => string
}

export interface TestLibraryOptions {
  readonly writing?: Writing
  readonly pageSize?: number
  readonly settings?: LibrarySettings
}

/** A library in a folder of its own. */
export async function testLibrary({
  writing = 'direct',
  pageSize = 250,
  settings,
}: TestLibraryOptions = {}): Promise<TestLibrary> {
  const folder = await tempFolder()
  const opened = openLibrary({
    env: { HOME: folder.path },
    currentFolder: folder.path,
    promptsDir: join(folder.path, 'prompts'),
    settings,
  })
  const lines: string[] = []
  const proposals = openProposals(opened.proposalsFile)
  const library: Library = {
    store: opened.store,
    search: makePromptSearch(opened.store),
    proposals,
    writing,
    pageSize,
    seen: seenValues(),
    log: serverLog((line) => void lines.push(line)),
  }
  return {
    folder,
    store: opened.store,
    proposals,
    library,
    skillFolders: opened.skillFolders,
    logged: () => lines.join(''),
    async [Symbol.asyncDispose]() {
      await opened.store[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** A client of the SDK that talks to a server over the library through real streams. */
export async function connectedClient(
  { library, skillFolders }: TestLibrary,
  { name = 'tester', ...options }: ClientOptions & { readonly name?: string } = {},
): Promise<{ readonly client: Client } & AsyncDisposable> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  const ending = new AbortController()
  const served = servePrompts({
    library,
    skillFolders,
    signal: ending.signal,
    stdin: toServer,
    write: async (text) => void toClient.write(text),
  })
  const client = new Client({ name, version: '1.0.0' }, options)
  await client.connect(clientEnd(toClient, toServer))
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close()
      toServer.end()
      await served
    },
  }
}

function clientEnd(input: PassThrough, output: PassThrough): Transport {
  let rest = ''
  const transport: Transport = {
    async start() {
      input.on('data', (chunk: Buffer) => {
        const lines = `${rest}${chunk.toString('utf8')}`.split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) transport.onmessage?.(JSON.parse(line) as JSONRPCMessage)
      })
    },
    send: async (message) => void output.write(`${JSON.stringify(message)}\n`),
    close: async () => transport.onclose?.(),
  }
  return transport
}
