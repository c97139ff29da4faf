import { setTimeout as wait } from 'node:timers/promises'
import type { Say } from './agent.ts'
import { lastTool, play } from './play.ts'
import type { Stage } from './stage.ts'

/** Prints what the agents do and what `capstan calls -f` shows of it into one stream. */
export async function interleaved(stage: Stage, signal: AbortSignal): Promise<void> {
  const say: Say = (who, text) => process.stdout.write(line(who, text))
  const shownLast = Promise.withResolvers<void>()
  stage.start(['calls', '-f'], (text) => {
    say('calls -f', text)
    if (text.includes(lastTool)) shownLast.resolve()
  })
  await play(stage, { say, signal })
  await Promise.race([shownLast.promise, wait(2000, undefined, { signal })])
}

export function line(who: string, text: string): string {
  return `${who.padEnd(8)} │ ${text}\n`
}
