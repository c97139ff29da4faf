import type { Command } from './command.ts'
import { conversationCommands } from './builtins/conversation-commands.ts'
import { helpCommand } from './builtins/help-command.ts'
import { lookCommands } from './builtins/look-commands.ts'
import { runCommands } from './builtins/run-commands.ts'
import { serverCommand } from './builtins/server-command.ts'
import { sessionCommands } from './builtins/session-commands.ts'
import type { Workings } from './workings.ts'

/** The commands of our own, in the order in which help lists them. */
export function builtins(workings: Workings): readonly Command[] {
  return [
    helpCommand(workings),
    ...lookCommands(workings),
    serverCommand(workings),
    ...runCommands(workings),
    ...sessionCommands(workings),
    ...conversationCommands(workings),
  ]
}
