import { unreachable } from '../../errors.ts'
import type { ExecEvent, ExecOutcome } from '../../hub/api.ts'
import { valueOf, type Command } from '../command.ts'
import { notice, printed, text, type Block } from '../outcome.ts'
import type { Workings } from '../workings.ts'
import { argument, takes } from './arguments.ts'
import { waiting } from './look-commands.ts'

/** `/exec CODE`: JavaScript or TypeScript that calls tools, in the sandbox. */
export function execCommand({ context: { hub } }: Workings): Command {
  const code = argument('code', {
    description: 'JavaScript or TypeScript: await tools.server.tool({ key: value })',
    required: true,
    keepsQuotes: true,
  })
  return {
    key: 'builtin:exec',
    kind: 'builtin',
    name: 'exec',
    summary: 'Run code that calls tools',
    declare: () => takes(code),
    run: async (input, { onBlock, onAsk, ...options }) => {
      const outcome = await hub.exec(valueOf(input, 'code') ?? '', {
        ...waiting(options),
        ...(onAsk === undefined ? {} : { onAsk }),
        ...(onBlock === undefined ? {} : { onEvent: (event) => showEvent(event, onBlock) }),
      })
      const logs = onBlock === undefined ? outcome.logs.map((line) => text(line.text)) : []
      return printed(...logs, endOf(outcome))
    },
  }
}

function showEvent(event: ExecEvent, onBlock: (block: Block) => void): void {
  if (event.kind === 'log') onBlock(text(event.line.text))
}

function endOf(outcome: ExecOutcome): Block {
  switch (outcome.kind) {
    case 'returned':
      return text(typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value, null, 2))
    case 'threw': {
      const { name, message, line } = outcome.error
      return notice(`${name}: ${message}${line === undefined ? '' : ` (line ${line})`}`, 'error')
    }
    case 'limit':
    case 'deadlock':
      return notice(outcome.message, 'error')
    case 'cancelled':
      return notice('Stopped.', 'warning')
    default:
      return unreachable(outcome)
  }
}
