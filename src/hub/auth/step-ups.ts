import { isStrictScopeSuperset } from '@modelcontextprotocol/client'
import type { Saved } from './auth-store.ts'

/** How often a server may ask for more rights before it is told no: the specification wants a limit. */
export const maxStepUps = 3
const windowMs = 3_600_000

export function recentStepUps({ stepUpsAtMs = [] }: Saved, nowMs: number): readonly number[] {
  return stepUpsAtMs.filter((at) => at <= nowMs && nowMs - at < windowMs)
}

/** Whether another login can help. One that asks for nothing new is tried once: the person may have granted less than was asked. */
export function isStepUpInVain(saved: Saved, scope: string | undefined, nowMs: number): boolean {
  const made = recentStepUps(saved, nowMs).length
  const isNew = isStrictScopeSuperset(scope, saved.login?.requestedScope)
  return made >= (isNew ? maxStepUps : 1)
}
