import { createRequire } from 'node:module'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { ToolEntry } from '../../src/hub/api.ts'

const require = createRequire(import.meta.url)

/** The tools of the three published servers as they are, through the plain SDK, and the listings as the servers sent them. */
export async function publishedTools(
  folder: string,
): Promise<{ tools: readonly ToolEntry[]; listings: readonly string[] }> {
  const servers = ['everything', 'filesystem', 'memory']
  const found = await Promise.all(servers.map(async (server) => listTools(server, folder)))
  return { tools: found.flatMap((one) => one.tools), listings: found.map((one) => one.listing) }
}

async function listTools(server: string, folder: string): Promise<{ tools: readonly ToolEntry[]; listing: string }> {
  const client = new Client({ name: 'test', version: '1' })
  const main = require.resolve(`@modelcontextprotocol/server-${server}/dist/index.js`)
  const env = { PATH: process.env['PATH'] ?? '', MEMORY_FILE_PATH: `${folder}/memory.jsonl` }
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: server === 'filesystem' ? [main, folder] : [main],
      env,
      stderr: 'ignore',
    }),
  )
  try {
    const { tools } = await client.listTools()
    return { tools: tools.map((tool) => entryOf(server, tool)), listing: JSON.stringify(tools) }
  } finally {
    await client.close()
  }
}

type Definition = Awaited<ReturnType<Client['listTools']>>['tools'][number]

function entryOf(
  server: string,
  { name, title, description, inputSchema, outputSchema, annotations }: Definition,
): ToolEntry {
  return {
    server,
    tool: name,
    id: `${server}.${name}`,
    modelName: `${server}__${name}`,
    inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  }
}
