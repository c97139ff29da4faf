import type { RemoteServer } from '../../config/types.ts'

/** Whether logins are Capstan's business: not where the entry has a token of its own, or says no. */
export function logsIn({ oauth, headers }: RemoteServer): boolean {
  return oauth !== false && !Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')
}

/** Whether its logins need no person. */
export function isUnattended({ oauth }: RemoteServer): boolean {
  return oauth !== undefined && oauth !== false && oauth.grant === 'client_credentials'
}
