import type { Config, RawEntry } from '../../config/types.ts'
import { slugOf } from '../../config/server-name.ts'
import { steadyHub, type Reached } from '../../daemon/steady-hub.ts'
import type { Hub } from '../../hub/api.ts'
import type { CommandContext, GlobalFlags, Io } from '../command.ts'
import { cannotBeHad } from '../../daemon/dial-daemon.ts'
import { dialDaemon, wantsDaemon } from '../daemon-hub.ts'
import { openLocalHub } from '../local-hub.ts'
import { plainText } from '../../policy/plain-text.ts'

export interface EditorHubSetup {
  readonly cwd: string
  readonly flags: GlobalFlags
  readonly config: Config
  /** The editor's own. */
  readonly servers: Readonly<Record<string, RawEntry>>
  /** What it calls itself. */
  readonly editor: string
}

/** The hub of one session of an editor: the daemon's, so that sessions and editors share what runs, else one of its own. */
export function openEditorHub({ io: streams }: CommandContext, setup: EditorHubSetup): Hub {
  const { cwd, flags, config, servers, editor } = setup
  // Not a copy: where the current folder is gone, asking for it throws.
  const io = Object.create(streams, { cwd: { value: cwd } }) as Io
  const note = (text: string): void => io.err(plainText(`capstan: ${text}\n`))
  for (const warning of config.warnings) note(`warning: ${warning}`)
  // The signal of the command ends the serving; a hub has to outlive it to be closed in order.
  const signal = new AbortController().signal
  const client = `${slugOf(editor)}-${process.pid}`
  return steadyHub({ open: wantsDaemon(io, flags) ? reach : openHere, onReopened: () => {}, note })

  async function reach(): Promise<Reached> {
    try {
      const hub = await dialDaemon({ io, flags, signal, client, servers })
      return { hub, lost: hub.closed }
    } catch (error) {
      if (!cannotBeHad(error)) throw error
      note(`No daemon can be had, so the servers run here: ${error.message}`)
      return await openHere()
    }
  }

  async function openHere(): Promise<Reached> {
    return { hub: await openLocalHub(config, { io, flags, signal, client }) }
  }
}
