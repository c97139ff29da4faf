import { chmod, readFile } from 'node:fs/promises'
import { hasCode, writeFileAtomic } from '../../files/atomic-write.ts'
import { withLock } from '../../files/lock.ts'
import { moveSecrets, type MovedSecrets, type NamedEntry, type TakenVariables } from './move-secrets.ts'

/** Moves the literal secrets of entries into a file of `NAME='value'` lines that a shell can load, readable by its owner only. */
export async function moveSecretsInto(
  path: string,
  servers: readonly NamedEntry[],
  env: TakenVariables['env'],
): Promise<MovedSecrets> {
  return await withLock(path, async () => {
    const text = await readText(path)
    const known = variablesIn(text)
    const moved = moveSecrets(servers, { known, env })
    const added = [...moved.variables].filter(([name]) => !known.has(name))
    if (added.length > 0) {
      await writeFileAtomic(path, withLines(text, added), { mode: 0o600 })
      await chmod(path, 0o600) // An existing file keeps its permissions when it is replaced; these may be too wide.
    }
    return moved
  })
}

function withLines(text: string, added: readonly (readonly [string, string])[]): string {
  const start = text === '' ? '# Moved here by "capstan import". Loaded by your shell, never by Capstan.\n' : text
  const lines = added.map(([name, value]) => `${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`)
  return start + (start.endsWith('\n') ? '' : '\n') + lines.join('')
}

function variablesIn(text: string): ReadonlyMap<string, string> {
  const lines = text.matchAll(/^(?:export\s+)?([A-Za-z_]\w*)=('(?:[^']|'\\'')*'|"[^"]*"|[^\s#]*)/gm)
  return new Map([...lines].map(([, name = '', value = '']) => [name, unquoted(value)]))
}

function unquoted(value: string): string {
  if (value.startsWith("'")) return value.slice(1, -1).replaceAll(String.raw`'\''`, "'")
  return value.startsWith('"') ? value.slice(1, -1) : value
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return ''
    throw error
  }
}
