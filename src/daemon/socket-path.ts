import { lstatSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { homeFolder, places } from '../files/places.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The longest path a socket may have, with some room: 104 bytes on macOS, 108 on Linux. */
const maxPathBytes = 100

/** Where the daemon of this user listens. */
export function daemonSocket(env: Environment): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\capstan-${shortHash(homeFolder(env))}`
  const usual = join(places(env).runtime, 'daemon.sock')
  if (Buffer.byteLength(usual) <= maxPathBytes) return usual
  return join(tmpdir(), `capstan-${userInfo().uid}`, `${shortHash(usual)}.sock`)
}

/** Loaded only where it is needed: it takes longer than the whole call. */
function shortHash(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text).slice(0, 16)
}

/** Whether a socket may be trusted: its folder is ours and closed to others, or is not there yet. */
export function isOurFolder(socketPath: string): boolean {
  if (process.platform === 'win32') return true
  try {
    const { uid, mode } = lstatSync(dirname(socketPath))
    return uid === userInfo().uid && (mode & 0o077) === 0
  } catch {
    return true
  }
}
