import { decideTrust, plainLine, trustRequests, type TrustRequest } from '../../index.ts'
import type { PiContext } from './pi-api.ts'
import { say } from './say.ts'
import type { PiWorld } from './world.ts'

/** Asks about servers of the project that nobody has decided on, once per file. Tells whether any may be started now. */
export async function askTrust(context: PiContext, { config, env, inTurn }: PiWorld): Promise<boolean> {
  const requests = await trustRequests(config())
  let isAny = false
  for (const [file, ofFile] of Map.groupBy(requests, ({ projectFile }) => projectFile)) {
    if (!context.hasUI) {
      say(
        context,
        `${file} names servers that wait for your approval: ${namesOf(ofFile)}. Run: capstan review`,
        'warning',
      )
      continue
    }
    const choice = await inTurn(() => context.ui.select(titleOf(file, ofFile), [start, later, never]))
    if (choice === start) {
      await decideTrust(ofFile, 'trusted', env)
      isAny = true
    }
    if (choice === never) await decideTrust(ofFile, 'refused', env)
  }
  return isAny
}

const start = 'Start them'
const later = 'Not now'
const never = 'Never, unless I say so in "capstan review"'

function titleOf(file: string, requests: readonly TrustRequest[]): string {
  const lines = requests.flatMap(({ name, lines: fields }) => [name, ...fields.map((field) => `  ${field}`)])
  return [`${plainLine(file)} wants to start servers on this machine:`, ...lines].join('\n')
}

function namesOf(requests: readonly TrustRequest[]): string {
  return requests.map(({ name }) => name).join(', ')
}
