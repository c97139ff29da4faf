import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type InitializeResponse,
  type ListSessionsResponse,
  type McpServer,
  type NewSessionResponse,
} from '@agentclientprotocol/sdk'
import { answering } from './answering.ts'
import { clientServers } from './client-servers.ts'
import type { Office } from './desk.ts'
import type { EditorSession } from './editor-session.ts'
import type { Sessions } from './sessions.ts'
import { isMode } from './session-settings.ts'

export interface AgentSetup {
  readonly office: Office
  readonly sessions: Sessions
  readonly version: string
}

/** The methods that an editor can call. */
export function agentMethods({ office, sessions, version }: AgentSetup): AgentApp {
  const called = methods.agent
  let capabilities: ClientCapabilities = {}
  let editor: string | undefined
  return agent({ name: 'capstan' })
    .onRequest(called.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      editor = params.clientInfo?.name
      return welcome(version)
    })
    .onRequest(
      called.session.new,
      answering(async ({ params, client }) => {
        const session = await open(params, client)
        setImmediate(session.begin)
        return { sessionId: session.id, ...session.settings() } satisfies NewSessionResponse
      }),
    )
    .onRequest(
      called.session.load,
      answering(async ({ params, client }) => {
        const session = await open(params, client, params.sessionId)
        await session.replay()
        setImmediate(session.begin)
        return session.settings()
      }),
    )
    .onRequest(
      called.session.resume,
      answering(async ({ params, client }) => {
        const session = await open({ mcpServers: [], ...params }, client, params.sessionId)
        setImmediate(session.begin)
        return session.settings()
      }),
    )
    .onRequest(
      called.session.list,
      answering(({ params }) => listSessions(office, params.cwd ?? undefined)),
    )
    .onRequest(
      called.session.close,
      answering(async ({ params }) => await sessions.close(sessions.get(params.sessionId).id)),
    )
    .onRequest(
      called.session.delete,
      answering(async ({ params: { sessionId } }) => {
        await sessions.close(sessionId)
        await mustBeKnown(sessionId)
        await office.removeConversation(sessionId)
      }),
    )
    .onRequest(
      called.session.prompt,
      answering(async ({ params, signal }) => await sessions.get(params.sessionId).prompt(params.prompt, signal)),
    )
    .onNotification(called.session.cancel, ({ params }) => sessions.find(params.sessionId)?.cancel())
    .onRequest(
      called.session.setMode,
      answering(async ({ params }) => useMode(sessions.get(params.sessionId), params.modeId)),
    )
    .onRequest(
      called.session.setConfigOption,
      answering(async ({ params }) => {
        const session = sessions.get(params.sessionId)
        await choose(session, params.configId, params.value)
        return { configOptions: session.settings().configOptions ?? [] }
      }),
    )

  async function open(wish: OpenParams, client: AgentContext, conversation?: string): Promise<EditorSession> {
    if (conversation !== undefined) await mustBeKnown(conversation)
    await mustBeFolder(wish.cwd)
    const servers = clientServers(wish.mcpServers, office.entryRules)
    const more = {
      ...(editor === undefined ? {} : { editor }),
      ...(conversation === undefined ? {} : { conversation }),
    }
    return await sessions.open({ cwd: wish.cwd, servers, ...more }, { client, capabilities })
  }

  async function mustBeKnown(id: string): Promise<void> {
    if (!(await office.hasConversation(id))) throw RequestError.sessionNotFound(id)
  }
}

interface OpenParams {
  readonly cwd: string
  readonly mcpServers: readonly McpServer[]
}

function welcome(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'capstan', title: 'Capstan', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    authMethods: [],
  }
}

async function mustBeFolder(cwd: string): Promise<void> {
  const about = isAbsolute(cwd) ? await stat(cwd).catch(() => undefined) : undefined
  if (about?.isDirectory() === true) return
  throw RequestError.invalidParams({ cwd }, 'cwd must be the absolute path of a folder that exists')
}

async function listSessions(office: Office, cwd: string | undefined): Promise<ListSessionsResponse> {
  const known = await office.conversations(cwd)
  return {
    sessions: known
      .filter(({ folder }) => isAbsolute(folder))
      .map(({ id, folder, title, changedAtMs }) => ({
        sessionId: id,
        cwd: cwd ?? folder,
        ...(title === undefined ? {} : { title }),
        updatedAt: new Date(changedAtMs).toISOString(),
      })),
  }
}

async function choose(session: EditorSession, configId: string, value: unknown): Promise<void> {
  if (typeof value !== 'string') throw RequestError.invalidParams({ configId }, `${configId} is chosen by name`)
  if (configId === 'mode') return useMode(session, value)
  if (configId === 'model') return await session.useModel(value)
  throw RequestError.invalidParams({ configId }, 'There is no such option')
}

function useMode(session: EditorSession, mode: string): void {
  if (!isMode(mode)) throw RequestError.invalidParams({ mode }, 'There is no such mode')
  session.useMode(mode)
}
