import type { CapstanErrorCode } from '../errors.ts'

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  unavailable: 3,
  timedOut: 4,
  notAllowed: 5,
  bug: 70,
  interrupted: 130,
} as const

/** The exit code a script sees for each expected failure. */
export function exitCodeOf(code: CapstanErrorCode): number {
  return byErrorCode[code]
}

const byErrorCode: Readonly<Record<CapstanErrorCode, number>> = {
  usage: exitCodes.usage,
  config_invalid: exitCodes.usage,
  config_missing_field: exitCodes.usage,
  config_bad_type: exitCodes.usage,
  server_unknown: exitCodes.usage,
  server_disabled: exitCodes.usage,
  tool_unknown: exitCodes.usage,
  prompt_unknown: exitCodes.usage,
  prompt_invalid: exitCodes.usage,
  resource_unknown: exitCodes.usage,
  arguments_invalid: exitCodes.usage,
  start_failed: exitCodes.unavailable,
  connection_refused: exitCodes.unavailable,
  transport_failed: exitCodes.unavailable,
  login_needed: exitCodes.unavailable,
  outcome_unknown: exitCodes.unavailable,
  server_error: exitCodes.failed,
  ask_declined: exitCodes.failed,
  prompt_conflict: exitCodes.failed,
  model_unknown: exitCodes.usage,
  model_unavailable: exitCodes.unavailable,
  model_refused: exitCodes.unavailable,
  context_full: exitCodes.timedOut,
  storage_failed: exitCodes.failed,
  resource_unreadable: exitCodes.failed,
  connect_timed_out: exitCodes.timedOut,
  timed_out: exitCodes.timedOut,
  limit_exceeded: exitCodes.timedOut,
  not_allowed: exitCodes.notAllowed,
  not_trusted: exitCodes.notAllowed,
  cancelled: exitCodes.interrupted,
}
