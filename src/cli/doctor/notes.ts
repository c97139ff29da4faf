import type { LogLine } from '../../hub/api.ts'
import { suspicionsOf } from '../../policy/suspicion.ts'
import { count, formatMs } from '../render/numbers.ts'
import { isWrapper } from './commands-known.ts'
import type { Evidence, Finding } from './report.ts'

const slowStartMs = 5000

/** What is worth knowing about a server and stops nothing. */
export function notesOf({ group, server, commandFile, logs }: Evidence): readonly Finding[] {
  const { state } = group.status
  const noise = logs.filter((line) => line.source === 'stdout')
  const isReady = state.kind === 'ready'
  const isSlow = isReady && state.connectMs > slowStartMs
  const wrapper =
    server?.transport === 'stdio' && commandFile !== undefined && isWrapper(server.command) ? server.command : undefined
  const isEmpty =
    isReady && [group.tools, group.prompts, group.resources, group.templates].every((list) => list.length === 0)
  return [
    ...(noise.length === 0 ? [] : [noiseNote(noise)]),
    ...(wrapper === undefined || !isReady ? [] : [wrapperNote(wrapper)]),
    ...(server?.transport === 'stdio' ? server.args.filter((arg) => arg.endsWith('@latest')).map(latestNote) : []),
    ...group.tools.flatMap((tool) => suspicionsOf(tool, []).map((oddity) => oddityNote(tool.id, oddity))),
    ...(isSlow
      ? [
          note(
            `It took ${formatMs(state.connectMs)} to start.`,
            'Anything it loads from the network at start could be installed once.',
          ),
        ]
      : []),
    ...(isEmpty && group.coverage?.kind === 'listed'
      ? [note('It offers nothing at all.', 'Check its arguments and "tools" in its entry.')]
      : []),
  ]
}

function noiseNote(noise: readonly LogLine[]): Finding {
  const sample = JSON.stringify((noise[0]?.text ?? '').slice(0, 60))
  return note(
    `It wrote ${count(noise.length, 'line')} to stdout, where only messages belong, such as ${sample}.`,
    'They are skipped; other clients may stop at them. A server should write such lines to stderr.',
  )
}

function wrapperNote(command: string): Finding {
  return note(
    `It is started through ${command}, which looks for its package at every start.`,
    'Install the package and name its own command: that starts faster, works offline and never changes by itself.',
  )
}

function oddityNote(tool: string, oddity: string): Finding {
  return note(`The tool ${tool} ${oddity}.`, `Have a look before a model does: capstan inspect ${tool}`)
}

function latestNote(name: string): Finding {
  return note(
    `It runs ${name}: whatever is newest at each start, looked up over the network.`,
    'Write a version instead: then what you approved is what runs.',
  )
}

function note(what: string, mend: string): Finding {
  return { level: 'note', what, mend }
}
