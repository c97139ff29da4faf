// node socket-stub.mjs SOCKET: answers every line with the same line, as a hub would that has nothing to do.
import { createServer } from 'node:net'

const answer = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'Echo: hello world' }] } }
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', () => socket.write(`${JSON.stringify(answer)}\n`))
})
server.listen(process.argv[2], () => process.stdout.write('ready\n'))
