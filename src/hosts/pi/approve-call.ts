import {
  cutMiddle,
  plainLine,
  plainText,
  toolHints,
  type JsonObject,
  type Permissions,
  type ToolEntry,
} from '../../index.ts'
import type { PiContext } from './pi-api.ts'
import type { InTurn } from './world.ts'

export interface Approval {
  readonly permissions: Permissions
  readonly inTurn: InTurn
  readonly context: PiContext
  readonly signal: AbortSignal | undefined
}

/** Resolves when the model may make this call; rejects with the reason, for the model, when it may not. */
export async function approveCall(tool: ToolEntry, args: JsonObject, approval: Approval): Promise<void> {
  const { permissions, inTurn, context } = approval
  const verdict = permissions.judge(tool)
  if (verdict.kind === 'allowed') return
  if (verdict.kind === 'denied') throw new Error(`The tool ${tool.id} is not allowed to run. Do not try it again.`)
  if (!context.hasUI) throw new Error(`The tool ${tool.id} has not been allowed, ${howToAllow(tool.id)}`)
  const { wasAllowed } = verdict
  await inTurn(async () => {
    // The answer to the question before may have settled this one.
    if (permissions.judge(tool).kind !== 'allowed') await askAbout({ tool, args, wasAllowed }, approval)
  })
}

/**
 * A snippet is shown to the person, who allows it with all that it calls. Where nobody is, it can call what is allowed anyway. Gives the
 * tools that it may call; undefined for all that the config does not deny.
 */
export async function approveCode(
  code: string,
  tools: readonly ToolEntry[],
  { permissions, inTurn, context, signal }: Approval,
): Promise<readonly string[] | undefined> {
  if (context.hasUI) {
    const title = `May the model run this code? It can call every tool that is not denied.\n${shownText(code)}`
    await inTurn(() => choose(title, [runOnce], { context, signal }))
    const possible = tools.filter((tool) => permissions.judge(tool).kind !== 'denied').map(({ id }) => id)
    return possible.length === tools.length ? undefined : possible
  }
  const allowed = tools.filter((tool) => permissions.judge(tool).kind === 'allowed').map(({ id }) => id)
  if (allowed.length > 0) return allowed
  throw new Error(`No tool has been allowed, ${howToAllow('server.tool')}`)
}

function howToAllow(pattern: string): string {
  return `and nobody is there to ask. The user can allow it with pi --capstan-allow "${pattern}", or with "alwaysAllow" in the entry of the server.`
}

const runOnce = 'Yes, this once'
const forSession = 'Yes, for this session'
const no = 'No'

interface Question {
  readonly tool: ToolEntry
  readonly args: JsonObject
  readonly wasAllowed: boolean
}

async function askAbout({ tool, args, wasAllowed }: Question, approval: Approval): Promise<void> {
  const name = plainLine(tool.id)
  const always = `Yes, always: ${name} in this project`
  const alwaysServer = `Yes, always: every tool of ${tool.server} in this project`
  const title = [
    `May the model call ${name}?`,
    ...(wasAllowed ? ['You allowed it before, but it has changed since.'] : []),
    ...toolHints(tool).map((hint) => `It ${hint}.`),
    shownText(JSON.stringify(args, null, 2)),
  ].join('\n')
  const choice = await choose(title, [runOnce, forSession, always, alwaysServer], approval)
  if (choice === forSession) await approval.permissions.grant(tool, 'session')
  if (choice === always) await approval.permissions.grant(tool, 'always-tool')
  if (choice === alwaysServer) await approval.permissions.grant(tool, 'always-server')
}

/** The yes that was chosen; a no rejects, with what the person wants to say to the model. */
async function choose(
  title: string,
  yes: readonly string[],
  { context: { ui }, signal }: Pick<Approval, 'context' | 'signal'>,
): Promise<string> {
  const dialog = signal === undefined ? {} : { signal }
  const choice = await ui.select(title, [...yes, no], dialog)
  if (choice !== undefined && yes.includes(choice)) return choice
  const reason = choice === no ? await ui.input('Tell the model why, or leave it empty', '', dialog) : undefined
  const why = reason === undefined || reason.trim() === '' ? '' : ` They say: ${reason.trim()}`
  throw new Error(`The user does not want this call.${why}`)
}

const mostShownBytes = 2000

function shownText(text: string): string {
  return plainText(cutMiddle(text, mostShownBytes))
}
