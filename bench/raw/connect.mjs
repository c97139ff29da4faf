// The least a program can do to talk to an MCP server over stdio: no SDK, no checks, no time limits.
// Plain JavaScript, so that the floor does not pay for type stripping.
import { spawn } from 'node:child_process'

export async function connect({ command, args = [], env = {} }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, ...env } })
  const waiting = new Map()
  let lastId = 0
  let rest = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const message = JSON.parse(line)
      waiting.get(message.id)?.(message.result)
      waiting.delete(message.id)
    }
  })
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method, params) =>
    new Promise((resolve) => {
      lastId += 1
      waiting.set(lastId, resolve)
      send({ id: lastId, method, params })
    })
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '0' },
  })
  send({ method: 'notifications/initialized' })
  return { request, kill: () => child.kill('SIGKILL') }
}
