import { describeChange } from '../config/describe-change.ts'
import { pinnedDefinition } from '../config/tool-pins.ts'
import { decidedEntry, readTrust, recordDecisions, standingOf, type TrustStanding } from '../config/trust.ts'
import { CapstanError } from '../errors.ts'
import { watchFiles } from '../files/watch.ts'
import type { ToolEntry } from '../hub/api.ts'
import { revealedText } from '../policy/plain-text.ts'

/** What tools were when they were first used: one that has changed since may do something else. */
export interface Pins extends Disposable {
  /** Notes a tool at its first use. Throws where it has changed since and is to be held back. */
  readonly use: (tool: ToolEntry) => void
  /** Whether a tool has to wait for a person. */
  readonly isHeld: (tool: ToolEntry) => boolean
}

export interface PinsOptions {
  readonly file: string
  /** `warn` says so in the log and lets the tool run. */
  readonly mode: 'warn' | 'hold'
  /** What a server's tools are kept under. */
  readonly keyOf: (server: string) => string
  readonly note: (text: string) => void
}

export const noPins: Pins = { use: () => {}, isHeld: () => false, [Symbol.dispose]() {} }

export async function openPins({ file, mode, keyOf, note }: PinsOptions): Promise<Pins> {
  let store = await readTrust(file)
  let standings = new WeakMap<ToolEntry, TrustStanding>()
  const noted = new Set<string>()
  const reload = async () => {
    store = await readTrust(file)
    standings = new WeakMap()
  }
  const reloadOrNote = () => void reload().catch((error: unknown) => note(String(error)))
  const watching = watchFiles([file], reloadOrNote, { settleMs: 20 })
  return {
    use(tool) {
      const standing = standingOfTool(tool)
      if (standing === 'trusted') return
      if (standing === 'new') return pin(tool)
      noteChange(tool)
      if (mode === 'hold' || standing === 'refused') throw held(tool)
    },
    isHeld(tool) {
      const standing = standingOfTool(tool)
      return standing === 'refused' || (standing === 'changed' && mode === 'hold')
    },
    [Symbol.dispose]: () => watching[Symbol.dispose](),
  }

  /** A definition is read once: the same object is the same definition. */
  function standingOfTool(tool: ToolEntry): TrustStanding {
    const known = standings.get(tool)
    if (known !== undefined) return known
    const standing = standingOf(store, keyOf(tool.server), tool.tool, pinnedDefinition(tool))
    standings.set(tool, standing)
    if (standing === 'changed') noteChange(tool)
    return standing
  }

  function pin(tool: ToolEntry): void {
    standings.set(tool, 'trusted')
    const decision = { projectFile: keyOf(tool.server), name: tool.tool, entry: pinnedDefinition(tool) }
    // A disk that takes nothing must not cost anybody a call.
    void recordDecisions(file, [{ ...decision, decision: 'trusted' }]).catch((error: unknown) => note(String(error)))
  }

  function noteChange(tool: ToolEntry): void {
    const entry = pinnedDefinition(tool)
    const mark = `${tool.id} ${JSON.stringify(entry)}`
    if (noted.has(mark)) return
    noted.add(mark)
    const before = decidedEntry(store, keyOf(tool.server), tool.tool) ?? {}
    const change = describeChange(before, entry).map(revealedText).join('; ')
    note(`The tool ${tool.id} is not what it was when it was first used: ${change}. Run: capstan review`)
  }
}

function held(tool: ToolEntry): CapstanError {
  return new CapstanError(
    'not_trusted',
    `The tool ${tool.id} has changed since it was first used, so it was not run.`,
    {
      server: tool.server,
      next: 'Run: capstan review',
    },
  )
}
