import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../caller.ts'

/** A key that lets somebody in; of the token only its hash is kept. */
export interface Key {
  readonly caller: Caller
  readonly tokenSha256: Buffer
}

/** Says who has shown a token. */
export type Identify = (authorization: string | undefined) => Caller | undefined

/** With no keys at all everybody is the same caller: only this machine can come then. */
export function makeIdentify(keys: readonly Key[], anybody: Caller | undefined): Identify {
  return (authorization) => {
    if (keys.length === 0) return anybody
    const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return undefined
    const shown = sha256(token)
    // All are compared, whichever fits, so that the time taken says nothing.
    const verdicts = keys.map(({ tokenSha256 }) => timingSafeEqual(shown, tokenSha256))
    return keys[verdicts.indexOf(true)]?.caller
  }
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
