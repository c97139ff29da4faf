import type { PermissionOption } from '@agentclientprotocol/sdk'
import type { PermissionChoice, SessionAsk } from '../../agent/session.ts'
import type { JsonObject } from '../../hub/values.ts'
import { plainLine, revealedText } from '../../policy/plain-text.ts'
import { fenced, textBlock } from './content-blocks.ts'
import type { PermissionQuestion } from './editor.ts'
import { inputFields, titleOf } from './show-calls.ts'

type PermissionAsk = Extract<SessionAsk, { kind: 'permission' }>

/** The question whether a call may run, with everything that a person has to see for it. */
export function permissionQuestion(ask: PermissionAsk): PermissionQuestion {
  const { callId: toolCallId, label, input, choices } = ask
  return {
    toolCall: {
      toolCallId,
      ...titleOf(label),
      // Some editors show nothing else.
      title: `${plainLine(label)} ${shortened(revealedText(JSON.stringify(input)))}`,
      ...inputFields({ kind: 'json', value: input }),
      status: 'pending',
      content: [{ type: 'content', content: textBlock(aboutCall(ask)) }],
    },
    options: order.filter((choice) => choices.includes(choice)).map((choice) => optionFor(choice, ask)),
  }
}

/** Some editors show one answer of each kind, the first or the last: neither may be the widest of them. */
const order: readonly PermissionChoice[] = ['once', 'session', 'always-server', 'always-tool', 'no']

function optionFor(choice: PermissionChoice, { label, tool }: PermissionAsk): PermissionOption {
  const [kind, name] = {
    once: ['allow_once', 'Allow once'],
    session: ['allow_always', 'Allow for this session'],
    'always-tool': ['allow_always', `Always allow ${plainLine(label)} in this project`],
    'always-server': ['allow_always', `Always allow all tools of ${plainLine(tool?.server ?? label)} in this project`],
    no: ['reject_once', 'No'],
  }[choice] as [PermissionOption['kind'], string]
  return { optionId: choice, kind, name }
}

function aboutCall({ label, input, hints, isChanged }: PermissionAsk): string {
  const lines = [
    ...(isChanged ? ['**This tool has changed since you allowed it.**'] : []),
    ...(hints.length === 0 ? [] : [`It ${hints.map(plainLine).join(', ')}.`]),
    argumentsText(label, input),
  ]
  return lines.join('\n\n')
}

/** What cannot be seen is written out: a person must be able to tell two calls apart. */
function argumentsText(label: string, input: JsonObject): string {
  const { code } = input
  if (label === 'exec' && typeof code === 'string') return fenced(revealed(code), 'js')
  return fenced(revealed(JSON.stringify(input, null, 2)), 'json')
}

function shortened(text: string): string {
  return text.length > longestTitle ? `${text.slice(0, longestTitle - 1)}…` : text
}

const longestTitle = 200

function revealed(text: string): string {
  return text.split('\n').map(revealedText).join('\n')
}
