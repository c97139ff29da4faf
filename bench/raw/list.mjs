// node list.mjs CONFIG: prints the names of all tools of all servers.
import { readFileSync } from 'node:fs'
import { connect } from './connect.mjs'

const servers = Object.entries(JSON.parse(readFileSync(process.argv[2], 'utf8')).mcpServers)
const lists = await Promise.all(
  servers.map(async ([name, entry]) => {
    const { request, kill } = await connect(entry)
    const { tools } = await request('tools/list', {})
    return { kill, names: tools.map((tool) => `${name}.${tool.name}`) }
  }),
)
process.stdout.write(`${lists.flatMap((list) => list.names).join('\n')}\n`)
for (const list of lists) list.kill()
