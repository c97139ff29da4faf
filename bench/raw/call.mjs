// node call.mjs CONFIG SERVER TOOL ARGUMENTS: prints the text of one call.
import { readFileSync } from 'node:fs'
import { connect } from './connect.mjs'

const [config, server, tool, args] = process.argv.slice(2)
const { request, kill } = await connect(JSON.parse(readFileSync(config, 'utf8')).mcpServers[server])
const result = await request('tools/call', { name: tool, arguments: JSON.parse(args) })
process.stdout.write(`${result.content[0].text}\n`)
kill()
