import { daemonSocket } from '../../daemon/socket-path.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { dialDaemon } from '../daemon-hub.ts'
import { exitCodes } from '../exit-codes.ts'

export const command: Command = {
  options: { foreground: { type: 'boolean' }, socket: { type: 'string' }, idle: { type: 'string' } },
  help: `Start the daemon, which keeps your servers warm so that calls are quick. Other commands start it by themselves when they
need a server; it leaves after 15 minutes in which nobody came.

  --foreground    stay in this terminal until Ctrl-C (for a service manager)
  --idle S        leave after S seconds without a client

Turn it off for one command with --no-daemon, for all with CAPSTAN_DAEMON=off.

Examples
  capstan start
  capstan status`,
  run,
}

const idleSeconds = 15 * 60

async function run(context: CommandContext, { values }: CommandInput): Promise<number> {
  const { io, flags, signal } = context
  const socketPath = typeof values['socket'] === 'string' ? values['socket'] : daemonSocket(io.env)
  if (values['foreground'] !== true) {
    await using hub = await dialDaemon({ io, flags, signal })
    io.err(
      `The daemon runs (version ${hub.welcome.version}). It leaves after ${idleSeconds / 60} idle minutes; stop it with: capstan stop\n`,
    )
    return exitCodes.ok
  }
  const { runDaemon } = await import('../../daemon/run-daemon.ts')
  const idle = Number(values['idle'] ?? io.env['CAPSTAN_DAEMON_IDLE'] ?? idleSeconds)
  await runDaemon({
    socketPath,
    env: io.env,
    idleMs: idle * 1000,
    signal,
    // Whoever started us waits for this line.
    onReady: () => void io.out('ready\n'),
    log: (line) => io.err(`${new Date().toISOString()} ${line}\n`),
  })
  return exitCodes.ok
}
