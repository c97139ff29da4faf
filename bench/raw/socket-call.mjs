// node socket-call.mjs SOCKET: one line to a local socket, one line back, printed. What no warm call from Node can beat.
import { connect } from 'node:net'

const socket = connect(process.argv[2])
let text = ''
socket.setEncoding('utf8')
socket.on('data', (chunk) => {
  text += chunk
  if (!text.includes('\n')) return
  process.stdout.write(`${JSON.parse(text).result.content[0].text}\n`)
  socket.destroy()
})
const params = [{ server: 'everything', tool: 'echo' }, { message: 'hello world' }]
socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'call', params })}\n`)
