import type { RawEntry } from './types.ts'
import { splitCommand } from './split-command.ts'

/**
 * Whether an entry would start Capstan itself, directly or through a package runner, a shell or `env`: a hub that holds
 * itself would start copies without end.
 */
export function startsCapstan(entry: RawEntry): boolean {
  const { command, args } = entry
  if (isMarked(entry)) return true
  if (typeof command !== 'string') return false
  const words = [command, ...(Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : [])]
  return runsCapstan(words) || runsCapstan([...wordsOf(command), ...words.slice(1)])
}

/** What `capstan connect` writes into its entries, whatever program or address they hold: the client that they are for. */
export const clientVariable = 'CAPSTAN_CLIENT'
export const clientHeader = 'X-Capstan-Client'

function isMarked({ env, headers }: RawEntry): boolean {
  return hasName(env, clientVariable) || hasName(headers, clientHeader)
}

function hasName(fields: RawEntry[string] | undefined, name: string): boolean {
  return typeof fields === 'object' && fields !== null && Object.hasOwn(fields, name)
}

/** Whether it would start only the server over the prompt library, which holds no servers and starts none. */
export function servesPromptLibrary({ command, args }: RawEntry): boolean {
  const given = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string')
  const words = given.flatMap(wordsOf)
  const at = words.findIndex(
    (word) => /^capstan(?:-prompts)?(?:@.*)?$/.test(programName(word)) || isCapstanScript(word),
  )
  if (at === -1) return false
  // `npx -p capstan capstan-prompts` names the package before the program.
  const [program = '', ...rest] = words.slice(words[at + 1]?.startsWith('capstan') === true ? at + 1 : at)
  if (programName(program) === 'capstan-prompts' || program.endsWith('prompts-bin.js')) return true
  const [verb, subcommand] = rest.filter((word) => !word.startsWith('-'))
  return (verb === 'library' || verb === 'prompts') && subcommand === 'serve'
}

function runsCapstan(words: readonly string[]): boolean {
  const [command, ...args] = words
  if (command === undefined) return false
  const program = programName(command)
  if (program === 'capstan' || program === 'capstan-prompts' || isCapstanScript(command)) return true
  if (program === 'env') return runsCapstan(args.filter((arg) => !arg.startsWith('-') && !/^\w+=/.test(arg)))
  if (shells.has(program)) return shellRunsCapstan(args)
  if (packageRunners.has(program)) return packagesOf(args).some((name) => /^capstan(?:-prompts)?(?:@.*)?$/.test(name))
  if (scriptRunners.has(program)) return args.some(isCapstanScript)
  return false
}

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'fish', 'cmd', 'powershell', 'pwsh'])
const packageRunners = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'bun'])
const scriptRunners = new Set(['node', 'bun', 'deno', 'tsx'])

/** `sh -c "exec capstan serve"`, `cmd /c npx capstan`. */
function shellRunsCapstan(args: readonly string[]): boolean {
  const script = args.findIndex((arg) => /^(?:-[a-z]*c|\/c|-command)$/i.test(arg))
  if (script === -1) return false
  const words = args.slice(script + 1).flatMap(wordsOf)
  return runsCapstan(words[0] === 'exec' ? words.slice(1) : words)
}

/** The packages a runner would run: those of `-p`/`--package`, and the first word that is neither flag nor subcommand. */
function packagesOf(args: readonly string[]): readonly string[] {
  const named = args.flatMap((arg, at) => {
    if (arg.startsWith('--package=')) return [arg.slice('--package='.length)]
    return isPackageFlag(args[at - 1]) ? [arg] : []
  })
  const first = args.find(
    (arg, at) => !arg.startsWith('-') && !isPackageFlag(args[at - 1]) && !(at === 0 && subcommands.has(arg)),
  )
  return first === undefined ? named : [...named, first]
}

const subcommands = new Set(['dlx', 'exec', 'x', 'run'])

function isPackageFlag(arg: string | undefined): boolean {
  return arg === '-p' || arg === '--package'
}

/** Our own entry point in an installed package: `…/capstan/dist/cli/bin.js`. */
function isCapstanScript(path: string): boolean {
  return (
    /(?:^|[\\/])capstan[\\/](?:dist|src)[\\/]cli[\\/](?:prompts-)?bin\.[cm]?[jt]s$/i.test(path) ||
    /[\\/]\.bin[\\/]capstan(?:-prompts)?$/.test(path)
  )
}

function programName(command: string): string {
  const base = command.split(/[\\/]/).at(-1) ?? ''
  return base.replace(/\.(?:exe|cmd|bat|ps1)$/i, '').toLowerCase()
}

/** A text that cannot be split is one word: it is a matter for whoever runs it. */
function wordsOf(text: string): readonly string[] {
  try {
    return splitCommand(text)
  } catch {
    return [text]
  }
}
