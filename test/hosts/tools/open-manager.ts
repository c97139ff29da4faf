import { createToolManager } from '../../../src/hosts/tools/create-tool-manager.ts'
import type { ToolManager, ToolManagerOptions } from '../../../src/hosts/tools/index.ts'
import type { Invocation } from '../../../src/hosts/tools/invocation.ts'
import type { Servers } from '../../hub/makers.ts'
import { tempFolder } from '../../config/temp-folder.ts'

type Levels = Omit<Exclude<ToolManagerOptions, { readonly hub: unknown }>, 'env' | 'cwd' | 'userOptions'>

export interface TestManagerOptions extends Levels {
  /** What an earlier manager kept is there. */
  readonly home?: string
}

/** A manager over servers of the user, in a home of its own. Everything is allowed unless the test says otherwise. */
export async function openManager(
  mcpServers: Servers,
  { home, ...options }: TestManagerOptions = {},
): Promise<ToolManager> {
  const folder = await tempFolder()
  const env = { PATH: process.env['PATH'], HOME: home ?? folder.path }
  const everything = { alwaysAllow: ['*'] }
  const asked = 'approve' in options || 'alwaysAllow' in options ? {} : everything
  const manager = await createToolManager({
    env,
    cwd: home ?? folder.path,
    userOptions: { mcpServers },
    ...asked,
    ...options,
  }).catch(async (error: unknown) => {
    await folder[Symbol.asyncDispose]()
    throw error
  })
  return {
    ...manager,
    async [Symbol.asyncDispose]() {
      await manager[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Starts a call by the name that people read. */
export function begin(manager: ToolManager, name: string, input: unknown = {}): Invocation {
  const request = manager.request({ id: 'call-1', name, input })
  if (request === undefined) throw new Error(`no tool ${name} among ${manager.names().join(', ')}`)
  return manager.start(request)
}

/** The text of what a model is told about a finished call. */
export async function told(manager: ToolManager, invocation: Invocation): Promise<string> {
  return manager.specs({ provider: 'generic' }).answer(await invocation.result).text
}

export function hasTool(manager: ToolManager, wanted: string): boolean {
  return manager.names().some((name) => name === wanted)
}

/** Waits for changes of the tools until this holds. */
export async function until(manager: ToolManager, holds: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  using _listening = manager.onChange(() => holds() && resolve())
  if (holds()) resolve()
  await promise
}
