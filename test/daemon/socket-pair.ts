import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SocketPair extends AsyncDisposable {
  readonly near: Socket
  readonly far: Socket
}

/** Both ends of a real local socket. */
export async function socketPair(): Promise<SocketPair> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-'))
  const path = join(folder, 'pair.sock')
  const server = createServer()
  server.listen(path)
  await once(server, 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const near = connect(path)
  const [far] = await accepted
  return {
    near,
    far,
    async [Symbol.asyncDispose]() {
      near.destroy()
      far.destroy()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
