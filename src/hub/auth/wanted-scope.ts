import { computeScopeUnion } from '@modelcontextprotocol/client'
import type { OauthSettings } from '../../config/types.ts'
import type { Challenge } from './auth-store.ts'
import type { AuthorizationServer } from './discover.ts'

/** What to ask for: what the person says, else what the server wants, else what it offers. A step-up only ever adds. */
export function wantedScope(
  settings: OauthSettings | undefined,
  challenge: Challenge,
  at: AuthorizationServer,
): string | undefined {
  const chosen = settings?.scopes?.join(' ')
  const scope =
    challenge.isStepUp === true
      ? computeScopeUnion(chosen, challenge.scope)
      : chosen || challenge.scope || at.scopes?.join(' ')
  if (!scope || settings?.grant === 'client_credentials') return scope || undefined
  // Without this scope such authorization servers hand out no refresh token, and every hour would need a person.
  const isWorthIt = at.metadata?.scopes_supported?.includes('offline_access') === true
  return isWorthIt ? computeScopeUnion(scope, 'offline_access') : scope
}
