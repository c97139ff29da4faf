import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** What a client carries for us from one round of a request to the next, and must not be able to read or make up. */
export interface Seal {
  readonly close: (value: SealedState) => string
  /** Undefined for whatever this seal has not made, or was made too long ago. */
  readonly open: (text: string) => SealedState | undefined
}

/** Which request waits, for whom, and at which of its questions. */
export interface SealedState {
  readonly id: string
  readonly turn: number
  readonly caller: string
  /** A digest of the method and its arguments: an answer counts for the very request that asked. */
  readonly request: string
  readonly expiresAtMs: number
}

const [nonceBytes, tagBytes] = [12, 16]
const algorithm = 'aes-256-gcm'

/** Sealed with a key of this process: the work that waits is in this process as well. */
export function makeSeal(now: () => number, key: Buffer = randomBytes(32)): Seal {
  return {
    close(value) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce)
      const body = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(text) {
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length <= nonceBytes + tagBytes || bytes.length > 4096) return undefined
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      try {
        const body = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()])
        // Only we can have made it.
        const state = JSON.parse(body.toString('utf8')) as SealedState
        return state.expiresAtMs > now() ? state : undefined
      } catch {
        // Tampered with, or made by another process.
        return undefined
      }
    },
  }
}
