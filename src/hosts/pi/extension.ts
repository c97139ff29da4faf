import { registerGateway } from './gateway.ts'
import type { Pi } from './pi-api.ts'
import { openPiSession, type PiSession } from './open-session.ts'

/** The extension: pi calls it with its API when it loads the package. */
// oxlint-disable-next-line import/no-default-export -- pi looks for it
export default function capstan(pi: Pi): void {
  pi.registerFlag(allowFlag, {
    type: 'string',
    description:
      'MCP tools that may run, and no others: names or globs such as "files.read_*", with commas between them',
  })
  let session: PiSession | undefined
  pi.on('session_start', async (_event, context) => {
    const env = process.env
    if (pi.registerMcpServer !== undefined) return registerGateway(pi, { context, env })
    const allowed = pi.getFlag(allowFlag)
    session = await openPiSession(pi, {
      context,
      env,
      ...(typeof allowed === 'string' ? { only: allowed.split(',').map((pattern) => pattern.trim()) } : {}),
    })
  })
  pi.on('before_agent_start', async (event, context) => session?.tellModel(event, context))
  pi.on('input', async (event, context) => session?.readInput(event, context))
  pi.on('session_shutdown', async () => {
    await session?.[Symbol.asyncDispose]()
    session = undefined
  })
}

const allowFlag = 'capstan-allow'
