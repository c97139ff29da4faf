import {
  methods,
  type AgentContext,
  type ClientCapabilities,
  type ElicitationContentValue,
  type ElicitationSchema,
  type PermissionOption,
  type RequestPermissionOutcome,
  type SendRequestOptions,
  type SessionUpdate,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk'

/** The editor, as one session sees it. */
export interface Editor {
  readonly can: {
    readonly readFiles: boolean
    readonly showForms: boolean
    readonly openPages: boolean
    readonly showNotices: boolean
  }
  readonly update: (update: SessionUpdate) => Promise<void>
  readonly askPermission: (question: PermissionQuestion, signal: AbortSignal) => Promise<RequestPermissionOutcome>
  readonly showForm: (form: EditorForm, signal: AbortSignal) => Promise<FormAnswer>
  readonly openPage: (page: EditorPage, signal: AbortSignal) => Promise<FormAnswer>
  /** The text of a file as it stands in the editor, saved or not. */
  readonly readFile: (path: string, signal: AbortSignal) => Promise<string>
}

export interface PermissionQuestion {
  readonly toolCall: ToolCallUpdate
  readonly options: PermissionOption[]
}

export interface EditorForm {
  readonly message: string
  readonly schema: ElicitationSchema
  readonly callId?: string | undefined
}

export interface EditorPage {
  readonly message: string
  readonly url: string
  readonly id: string
  readonly callId?: string | undefined
}

export type FormAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, ElicitationContentValue>> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' }

export interface EditorConnection {
  readonly client: AgentContext
  readonly capabilities: ClientCapabilities
}

export function editorFor({ client, capabilities }: EditorConnection, sessionId: string): Editor {
  const { session, fs, elicitation } = methods.client
  return {
    can: {
      readFiles: capabilities.fs?.readTextFile === true,
      showForms: isGiven(capabilities.elicitation?.form),
      openPages: isGiven(capabilities.elicitation?.url),
      showNotices: isGiven(capabilities.session?.notices),
    },
    update: (update) => client.notify(session.update, { sessionId, update }),
    async askPermission(question, signal) {
      return (await client.request(session.requestPermission, { sessionId, ...question }, until(signal))).outcome
    },
    async showForm({ message, schema, callId }, signal) {
      const form = { mode: 'form', message, requestedSchema: schema, sessionId, ...callField(callId) } as const
      return answerOf(await client.request(elicitation.create, form, until(signal)))
    },
    async openPage({ message, url, id, callId }, signal) {
      const page = { mode: 'url', message, url, elicitationId: id, sessionId, ...callField(callId) } as const
      return answerOf(await client.request(elicitation.create, page, until(signal)))
    },
    async readFile(path, signal) {
      const { content } = await client.request(fs.readTextFile, { sessionId, path }, until(signal))
      return content
    },
  }
}

function until(signal: AbortSignal): SendRequestOptions {
  return { cancellationSignal: signal, stopWaitingOnCancel: true }
}

function isGiven(capability: object | null | undefined): boolean {
  return capability !== undefined && capability !== null
}

function callField(callId: string | undefined): { readonly toolCallId?: string } {
  return callId === undefined ? {} : { toolCallId: callId }
}

function answerOf(answer: { readonly action: string; readonly content?: unknown }): FormAnswer {
  if (answer.action === 'accept') return { action: 'accept', content: valuesIn(answer.content) }
  return { action: answer.action === 'decline' ? 'decline' : 'cancel' }
}

function valuesIn(content: unknown): Readonly<Record<string, ElicitationContentValue>> {
  const fields = typeof content === 'object' && content !== null ? Object.entries(content) : []
  return Object.fromEntries(fields.filter((field): field is [string, ElicitationContentValue] => isValue(field[1])))
}

function isValue(value: unknown): value is ElicitationContentValue {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string')
  return ['string', 'number', 'boolean'].includes(typeof value)
}
