import { dirname, isAbsolute, resolve } from 'node:path'
import { checkHeaderValues, checkUrl } from './entry-checks.ts'
import { expandTilde, makeFillIn, type EntryOrigin, type FillIn } from './fill-in.ts'
import { inputsFile, openInputs, type AnswerInput } from './inputs.ts'
import { fillInOauth } from './oauth.ts'
import { makeCommandRunner, type RunCommand } from './run-command.ts'
import type { RemoteServer, ServerConfig, StdioServer, Surroundings } from './types.ts'

/** How `${cmd:…}` and `${input:…}` get their values. */
export interface ResolveOptions {
  /** Share one between servers, so that each command runs once; without it, one is made for this call. */
  readonly runCommand?: RunCommand
  /** Without it, answers given earlier are used and nothing is asked. */
  readonly inputs?: AnswerInput
}

/** Fills in an entry's `${…}` and `~`, and says where it runs: everything in the result can be used as it is. */
export async function resolveServer(
  server: ServerConfig,
  where: EntryOrigin,
  surroundings: Surroundings,
  options: ResolveOptions = {},
): Promise<ServerConfig> {
  const { env, homeFolder } = surroundings
  const fillIn = makeFillIn({
    where,
    surroundings,
    runCommand: options.runCommand ?? makeCommandRunner({ env, homeFolder }),
    inputs: options.inputs ?? openInputs({ file: inputsFile(env) }),
  })
  return server.transport === 'stdio'
    ? await resolveProgram(server, fillIn, { where, surroundings })
    : await resolveRemote(server, fillIn, where)
}

interface Standpoint {
  readonly where: EntryOrigin
  readonly surroundings: Surroundings
}

async function resolveProgram(server: StdioServer, fillIn: FillIn, standpoint: Standpoint): Promise<StdioServer> {
  const { name } = standpoint.where
  const withHome: FillIn = (text, path) => fillIn(expandTilde(text, standpoint.surroundings.homeFolder), path)
  const [command, args, env, cwd] = await Promise.all([
    withHome(server.command, `${name}.command`),
    Promise.all(server.args.map((arg, index) => withHome(arg, `${name}.args[${index}]`))),
    fillInValues(server.env, fillIn, `${name}.env`),
    server.cwd === undefined ? undefined : withHome(server.cwd, `${name}.cwd`),
  ])
  const folder = workingFolder(cwd, standpoint)
  return { ...server, command: locate(command, folder), args, env, cwd: folder }
}

async function resolveRemote(server: RemoteServer, fillIn: FillIn, where: EntryOrigin): Promise<RemoteServer> {
  const { oauth } = server
  const [url, otherUrls, headers, filled] = await Promise.all([
    fillIn(server.url, `${where.name}.url`),
    Promise.all(server.otherUrls.map((other, index) => fillIn(other, `${where.name}.urls[${index + 1}]`))),
    fillInValues(server.headers, fillIn, `${where.name}.headers`),
    oauth ? fillInOauth(oauth, (text, field) => fillIn(text, `${where.name}.oauth.${field}`)) : oauth,
  ])
  for (const address of [url, ...otherUrls]) checkUrl(address, where)
  checkHeaderValues(headers, where)
  return { ...server, url, otherUrls, headers, ...(filled === undefined ? {} : { oauth: filled }) }
}

async function fillInValues(
  values: Readonly<Record<string, string>>,
  fillIn: FillIn,
  path: string,
): Promise<Readonly<Record<string, string>>> {
  const filled = Object.entries(values).map(
    async ([name, text]) => [name, await fillIn(text, `${path}.${name}`)] as const,
  )
  return Object.fromEntries(await Promise.all(filled))
}

/** A relative folder counts from the file it stands in, so that it means the same from wherever Capstan is run. */
function workingFolder(cwd: string | undefined, { where, surroundings }: Standpoint): string {
  const { workspaceFolder, currentFolder } = surroundings
  if (cwd === undefined) return where.layer === 'project' ? workspaceFolder : currentFolder
  return resolve(where.file === undefined ? currentFolder : dirname(where.file), cwd)
}

/** `./server` means the one in the working folder; a bare name is looked up on the PATH when it is started. */
function locate(command: string, folder: string): string {
  const isPath = command.includes('/') || (process.platform === 'win32' && command.includes('\\'))
  return isPath && !isAbsolute(command) ? resolve(folder, command) : command
}
