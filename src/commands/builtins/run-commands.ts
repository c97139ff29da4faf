import type { Command } from '../command.ts'
import type { Workings } from '../workings.ts'
import { callCommand } from './call-command.ts'
import { execCommand } from './exec-command.ts'
import { readCommand } from './read-command.ts'

/** `/call`, `/read` and `/exec`: what a person runs without the model. */
export function runCommands(workings: Workings): readonly Command[] {
  return [callCommand(workings), readCommand(workings), execCommand(workings)]
}
