import { loadConfig, ownProgram } from '../../index.ts'
import type { Environment, Pi, PiContext } from './pi-api.ts'
import { failureText, say } from './say.ts'

/**
 * For pi since 1.0, which speaks MCP itself: Capstan's servers are one server to it. What stands in pi's own files it starts by
 * itself, so only ours are looked for.
 */
export async function registerGateway(
  pi: Pi,
  { context, env }: { readonly context: PiContext; readonly env: Environment },
): Promise<void> {
  try {
    const { servers } = await loadConfig({ env, cwd: context.cwd })
    if (servers.length === 0) return
    const [command, program] = ownProgram()
    pi.registerMcpServer?.('capstan', {
      command,
      args: [program, 'serve', '--mode', 'all'],
      // Tells every Capstan that this entry is Capstan itself.
      env: { CAPSTAN_CLIENT: 'pi' },
      description: `The MCP servers of Capstan: ${servers.map(({ name }) => name).join(', ')}`,
    })
  } catch (error) {
    say(context, `its servers cannot be used: ${failureText(error)}`, 'error')
  }
}
