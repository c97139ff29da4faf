import type { Saved } from './auth-store.ts'

/** How often a server may ask for more rights before it is told no: the specification wants a limit. */
export const maxStepUps = 3
const windowMs = 3_600_000

export function recentStepUps({ stepUpsAtMs = [] }: Saved, nowMs: number): readonly number[] {
  return stepUpsAtMs.filter((at) => at <= nowMs && nowMs - at < windowMs)
}
