import type { AvailableCommand, SessionUpdate } from '@agentclientprotocol/sdk'
import { plainLine } from '../../policy/plain-text.ts'
import type { Desk, OfferedCommand } from './desk.ts'

export interface CommandsOffered extends Disposable {
  readonly begin: () => void
}

/** Keeps the editor's list of slash commands as it is here: every prompt of every server is one. */
export function offerCommands(
  desk: Pick<Desk, 'offered' | 'commands'>,
  put: (update: SessionUpdate) => void,
): CommandsOffered {
  let told = ''
  let listening: Disposable | undefined
  return {
    begin() {
      listening ??= desk.commands.on(tell)
      tell()
    },
    [Symbol.dispose]: () => listening?.[Symbol.dispose](),
  }

  function tell(): void {
    const availableCommands = desk
      .offered()
      .filter(({ name }) => !editorsOwn.has(name))
      .map(commandOf)
    const now = JSON.stringify(availableCommands)
    if (now === told) return
    told = now
    put({ sessionUpdate: 'available_commands_update', availableCommands })
  }
}

/** What only a screen of our own can do; editors have their own ways for it. */
const editorsOwn: ReadonlySet<string> = new Set(['exit', 'quit', 'clear', 'resume', 'copy', 'queue'])

function commandOf({ name, summary, usage }: OfferedCommand): AvailableCommand {
  const hint = plainLine(usage)
  return { name, description: plainLine(summary), ...(hint === '' ? {} : { input: { hint } }) }
}
