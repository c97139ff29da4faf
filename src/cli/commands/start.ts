import { daemonSocket } from '../../daemon/socket-path.ts'
import { CapstanError } from '../../errors.ts'
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

const defaultIdleSeconds = 15 * 60

async function run(context: CommandContext, { values }: CommandInput): Promise<number> {
  const { io, flags, signal } = context
  const idle = idleOf(values['idle'] ?? io.env['CAPSTAN_DAEMON_IDLE'] ?? String(defaultIdleSeconds))
  if (values['foreground'] !== true) {
    // The one that is started reads it from there.
    const env = { ...io.env, CAPSTAN_DAEMON_IDLE: String(idle) }
    await using hub = await dialDaemon({ io: { ...io, env }, flags, signal })
    io.err(`The daemon runs (version ${hub.welcome.version}). Stop it with: capstan stop\n`)
    return exitCodes.ok
  }
  const socketPath = typeof values['socket'] === 'string' ? values['socket'] : daemonSocket(io.env)
  const { runDaemon } = await import('../../daemon/run-daemon.ts')
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

function idleOf(value: CommandInput['values'][string]): number {
  const seconds = Number(value)
  // A timer that is asked for more fires at once.
  if (seconds > 0 && seconds <= 2_000_000) return seconds
  throw new CapstanError('usage', `The idle time is a number of seconds above 0, not "${String(value)}".`, {
    next: 'Correct --idle or CAPSTAN_DAEMON_IDLE.',
  })
}
