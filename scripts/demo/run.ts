// Two agents work through one hub while a server is killed and comes back; it ends by itself within 20 seconds.
import { interleaved } from './interleaved.ts'
import { hasPanes, inPanes } from './panes.ts'
import { openStage } from './stage.ts'

const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => interrupted.abort(new Error('Interrupted: everything that the demo started is ended.')))

const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(18_000)])

try {
  await using stage = await openStage()
  await (hasPanes() ? inPanes(stage, signal) : interleaved(stage, signal))
} catch (error) {
  // What failed may say it in its own words: that we were interrupted, or took too long, is what matters then.
  console.error(signal.aborted ? String(signal.reason) : error)
  process.exitCode = 1
}
