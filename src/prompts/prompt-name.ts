import { quickHash } from '../files/quick-hash.ts'

const longest = 64

export function isPromptName(text: string): boolean {
  return /^[a-z0-9_]{1,64}$/.test(text)
}

/**
 * A free name for a title. Titles in scripts that have no letters in common with a name get one from a hash, so the same title
 * always gets the same name; taken names get a number.
 */
export function promptNameFor(title: string, isTaken: (name: string) => boolean = () => false): string {
  const base = slugOf(title) || `prompt_${quickHash(title.normalize('NFC')).slice(-10)}`
  if (!isTaken(base)) return base
  for (let number = 2; ; number += 1) {
    const suffix = `_${number}`
    const name = `${base.slice(0, longest - suffix.length).replace(/_+$/, '')}${suffix}`
    if (!isTaken(name)) return name
  }
}

function slugOf(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^_+/, '')
  return slug.slice(0, longest).replace(/_+$/, '')
}
