import { basename, isAbsolute } from 'node:path'

/** What a command line of npx asks for. */
export type NpxWords =
  /** A bare word: a program, or else a package. */
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }
  | {
      readonly kind: 'package'
      readonly name: string
      /** An exact one; absent when only the name was given. */
      readonly version?: string
      /** As it was written: npx names folders of its cache after it. */
      readonly spec: string
      /** The program, where `--package` leaves that open. */
      readonly command?: string
      readonly args: readonly string[]
    }

/** Reads the plain forms, `npx [-y] PACKAGE …` and `npx [-y] -p PACKAGE PROGRAM …`; undefined for any other, tags and ranges among them. */
export function parseNpx(command: string, args: readonly string[]): NpxWords | undefined {
  if (command !== 'npx' && !(isAbsolute(command) && basename(command) === 'npx')) return undefined
  const { packages, rest } = takeFlags(args) ?? { packages: [], rest: [] }
  const [first, ...further] = rest
  if (first === undefined || packages.length > 1) return undefined
  const [wanted] = packages
  if (wanted === undefined)
    return isBareWord(first) ? { kind: 'command', command: first, args: further } : parsePackage(first, further)
  const named = parsePackage(wanted, further)
  return isBareWord(first) && named !== undefined ? { ...named, command: first } : undefined
}

function takeFlags(
  args: readonly string[],
): { readonly packages: readonly string[]; readonly rest: readonly string[] } | undefined {
  const packages: string[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ''
    const [, assigned] = /^(?:-p|--package)=(.*)$/s.exec(word) ?? []
    if (assigned !== undefined) packages.push(assigned)
    else if (word === '-p' || word === '--package') packages.push(args[++at] ?? '')
    else if (word === '--') return { packages, rest: args.slice(at + 1) }
    else if (!word.startsWith('-')) return { packages, rest: args.slice(at) }
    else if (!quietFlags.has(word)) return undefined
  }
  return undefined
}

/** Flags that say how npx talks or asks, not what it runs. */
const quietFlags = new Set(['-y', '--yes', '-q', '--quiet', '--silent'])

function isBareWord(word: string): boolean {
  return /^[A-Za-z0-9_][\w.-]*$/.test(word)
}

function parsePackage(spec: string, args: readonly string[]): (NpxWords & { readonly kind: 'package' }) | undefined {
  const [, name, version] = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:@(.+))?$/.exec(spec) ?? []
  if (name === undefined) return undefined
  if (version === undefined) return { kind: 'package', name, spec, args }
  return /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version) ? { kind: 'package', name, version, spec, args } : undefined
}
