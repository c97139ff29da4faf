import { fileURLToPath } from 'node:url'
import { chooseModel, offeredModels } from '../../agent/choose-model.ts'
import { resourcePart } from '../../agent/content-parts.ts'
import type { ConversationStore } from '../../agent/conversations.ts'
import type { Model } from '../../agent/model.ts'
import { openModel } from '../../agent/open-model.ts'
import { openPermissions } from '../../agent/permissions.ts'
import { openSession } from '../../agent/open-session.ts'
import { filePart } from '../../commands/attach-mentions.ts'
import { usageOf } from '../../commands/builtins/help-command.ts'
import { openCommands, type Commands } from '../../commands/open-commands.ts'
import { writeName } from '../../commands/print-line.ts'
import type { Config } from '../../config/types.ts'
import { CapstanError, type ErrorJson } from '../../errors.ts'
import { places } from '../../files/places.ts'
import type { Desk, DeskWish, Linked, OfferedCommand } from '../../hosts/acp/desk.ts'
import type { Hub } from '../../hub/api.ts'
import { serversForResource } from '../../hub/catalogue/find-resource.ts'
import { keptConversations } from '../chat/kept-conversations.ts'
import { loadCommandConfig } from '../command-config.ts'
import type { CommandContext } from '../command.ts'
import { openEditorHub } from './open-editor-hub.ts'

export interface EditorDeskWish extends DeskWish {
  /** What `--model` named. */
  readonly model: string | undefined
  readonly store: ConversationStore
}

/** What one session of an editor works with: model, permissions, a conversation and commands over a hub. */
export async function openEditorDesk(context: CommandContext, wish: EditorDeskWish): Promise<Desk> {
  const { cwd, servers, store, prepare } = wish
  // The streams are the editor's: nobody is asked on them.
  const flags = { ...context.flags, mayAsk: false }
  const config = await loadCommandConfig({ env: context.io.env, cwd }, flags, servers)
  const { env, workspaceFolder: folder } = config.surroundings
  const stateFolder = places(env).state
  const [permissions, conversation] = await Promise.all([
    openPermissions({ stateFolder, project: folder, config }),
    wish.conversation === undefined ? store.create(folder) : store.open(wish.conversation),
  ])
  const hub = openEditorHub(context, { cwd, flags, config, servers, editor: wish.editor ?? 'acp' })
  const { model, problem } = firstModel(config, wish.model)
  const inlinePercent = config.settings.model?.inlinePercent
  const session = openSession({
    hub,
    model,
    permissions,
    conversation,
    prepare,
    ...(inlinePercent === undefined ? {} : { inlinePercent }),
  })
  const models = () => offeredModels({ env, settings: config.settings.model })
  const use = async (id: string): Promise<void> => session.useModel(modelNamed(config, id))
  const commands = openCommands({
    hub,
    session: () => session,
    conversations: keptConversations({ store, folder, session: () => session }),
    models: { list: async () => models().map((id) => ({ id })), use },
    folder,
  })
  return {
    session,
    commands,
    offered: () => offered(commands),
    models: { list: models, use },
    modelProblem: problem,
    news: waitingForTrust(config),
    readLink: (uri, { signal }) => readLink(uri, { hub, commands, signal }),
    async [Symbol.asyncDispose]() {
      commands[Symbol.dispose]()
      await session[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

interface FirstModel {
  readonly model?: Model
  readonly problem?: ErrorJson
}

/** A model that cannot be had is no reason to have no session: everything but the answers works. */
function firstModel(config: Config, named: string | undefined): FirstModel {
  const { env } = config.surroundings
  try {
    const choice = chooseModel({ named, env, settings: config.settings.model })
    return choice === undefined ? {} : { model: openModel(choice, config.surroundings) }
  } catch (error) {
    if (error instanceof CapstanError) return { problem: error.toJSON() }
    throw error
  }
}

function modelNamed({ surroundings, settings }: Config, id: string): Model {
  const choice = chooseModel({ named: id, env: surroundings.env, settings: settings.model })
  if (choice === undefined) throw new CapstanError('model_unknown', 'No model was named.')
  return openModel(choice, surroundings)
}

function offered(commands: Commands): readonly OfferedCommand[] {
  return commands.list().map((command) => {
    const name = writeName(command.name)
    return { name: name.slice(1), summary: command.summary, usage: usageOf(command).slice(name.length).trim() }
  })
}

function waitingForTrust({ servers }: Config): readonly string[] {
  const waiting = servers.filter(({ standing }) => standing.kind === 'untrusted' && standing.change !== 'refused')
  if (waiting.length === 0) return []
  const names = waiting.map(({ name }) => name).join(', ')
  return [`Servers of this project wait for your approval and are not started: ${names}. Run: capstan review`]
}

interface LinkPlace {
  readonly hub: Hub
  readonly commands: Commands
  readonly signal: AbortSignal
}

async function readLink(uri: string, { hub, commands, signal }: LinkPlace): Promise<Linked | undefined> {
  if (uri.startsWith('file:')) return [await filePart(pathOf(uri))]
  const [server, ...others] = serversForResource(commands.catalogue(), uri)
  if (server === undefined || others.length > 0) return undefined
  const { contents } = await hub.read({ server, uri }, { signal })
  return contents.map((content) => resourcePart(content))
}

function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri)
  } catch (cause) {
    throw new CapstanError('resource_unreadable', `${uri} is no file of this machine.`, { cause })
  }
}
