import { describeChange } from '../config/describe-change.ts'
import { pinKeys, pinnedDefinition, pinsFile } from '../config/tool-pins.ts'
import { decidedEntry, readTrust, recordDecisions, standingOf } from '../config/trust.ts'
import type { RawEntry } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import { closest } from '../hub/catalogue/names.ts'
import type { CommandContext, CommandInput } from './command.ts'
import { revealedText } from '../policy/plain-text.ts'
import { seenOnDisk } from './seen-on-disk.ts'

/** A tool that is not what it was when it was first used through the gateway. */
export interface ChangedPin {
  /** `pin:server.tool`, which no server can be called. */
  readonly id: string
  readonly key: string
  readonly tool: string
  readonly entry: RawEntry
  readonly lines: readonly string[]
}

/** By what the servers were last seen to offer: nothing is started to find out. */
export async function changedPins({ io, loadConfig }: CommandContext): Promise<readonly ChangedPin[]> {
  const store = await readTrust(pinsFile(io.env))
  if (store.records.size === 0) return []
  const config = await loadConfig()
  const keyOf = pinKeys(config)
  return seenOnDisk(config).catalogue.tools.flatMap((tool) => {
    const [key, entry] = [keyOf(tool.server), pinnedDefinition(tool)]
    if (standingOf(store, key, tool.tool, entry) !== 'changed') return []
    const lines = describeChange(decidedEntry(store, key, tool.tool) ?? {}, entry)
    return [{ id: `pin:${tool.id}`, key, tool: tool.tool, entry, lines }]
  })
}

/** Approves what the command line names, or everything; the ids of what was approved. */
export async function approvePins(
  context: CommandContext,
  { values, positionals }: CommandInput,
): Promise<readonly string[]> {
  const names = positionals.filter((name) => name.startsWith('pin:'))
  if (names.length === 0 && values['all'] !== true) return []
  const changed = await changedPins(context)
  const stranger = names.find((name) => !changed.some(({ id }) => id === name))
  if (stranger !== undefined) {
    const hint = closest(
      stranger,
      changed.map(({ id }) => id),
    )
    throw new CapstanError('tool_unknown', `No changed tool waits as "${stranger}".${hint}`, {
      next: 'Run: capstan review',
    })
  }
  const approved = names.length === 0 ? changed : changed.filter(({ id }) => names.includes(id))
  const decisions = approved.map(({ key, tool, entry }) => ({ projectFile: key, name: tool, entry }))
  await recordDecisions(
    pinsFile(context.io.env),
    decisions.map((decision) => ({ ...decision, decision: 'trusted' as const })),
  )
  return approved.map(({ id }) => id)
}

export function pinsText(changed: readonly ChangedPin[], approved: readonly string[]): string {
  const done = approved.length === 0 ? '' : `Approved: ${approved.join(', ')}.\n`
  if (changed.length === 0) return done
  const lines = changed.flatMap(({ id, lines: own }) => [
    `  ${revealedText(id)}`,
    ...own.map((line) => `    ${revealedText(line)}`),
  ])
  return `${done}These tools are not what they were when they were first used through the gateway:\n${lines.join('\n')}\nNext: capstan review pin:NAME…\n`
}

export function pinJson({ id, lines }: ChangedPin): { readonly id: string; readonly change: readonly string[] } {
  return { id, change: lines }
}
