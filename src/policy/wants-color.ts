/** Whether a stream gets colours. As in Node itself: FORCE_COLOR decides, then NO_COLOR, then whether it is a terminal. */
export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}
