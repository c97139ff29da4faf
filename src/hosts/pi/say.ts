import { CapstanError, plainText } from '../../index.ts'
import type { Level, PiContext } from './pi-api.ts'

/** Says something to the person: where pi can show nothing, what matters goes to stderr. */
export function say({ hasUI, ui }: Pick<PiContext, 'hasUI' | 'ui'>, text: string, level: Level): void {
  const line = `Capstan: ${plainText(text)}`
  if (hasUI) ui.notify(line, level)
  else if (level !== 'info') process.stderr.write(`${line}\n`)
}

/** The answer to a command that the person typed: it is shown wherever they are. */
export function answer({ hasUI, ui }: Pick<PiContext, 'hasUI' | 'ui'>, text: string, level: Level = 'info'): void {
  if (hasUI) ui.notify(plainText(text), level)
  else process.stderr.write(`${plainText(text)}\n`)
}

/** An expected failure in words, with what to do about it. A bug keeps its own. */
export function failureText(error: unknown): string {
  if (!(error instanceof CapstanError)) return error instanceof Error ? error.message : String(error)
  return error.next === undefined ? error.message : `${error.message} ${error.next}`
}
