import { chooseModel, howToSetModel, offeredModels } from '../../agent/choose-model.ts'
import { type Conversation, openConversations } from '../../agent/conversations.ts'
import type { Model } from '../../agent/model.ts'
import { openModel } from '../../agent/open-model.ts'
import { openPermissions } from '../../agent/permissions.ts'
import { openSession } from '../../agent/open-session.ts'
import type { Session } from '../../agent/session.ts'
import type { CommandContext as CommandsContext } from '../../commands/context.ts'
import { openCommands } from '../../commands/open-commands.ts'
import type { Config } from '../../config/types.ts'
import { places } from '../../files/places.ts'
import type { Hub } from '../../hub/api.ts'
import type { Desk } from '../../terminal/desk.ts'
import type { Screen } from '../../terminal/open-screen.ts'
import { keptConversations } from './kept-conversations.ts'

/** Which conversation a session begins with. */
export type Beginning =
  | { readonly kind: 'new' }
  /** The last one of this folder. */
  | { readonly kind: 'last' }
  | { readonly kind: 'picked' }
  | { readonly kind: 'named'; readonly id: string }

export interface DeskSetup {
  readonly hub: Hub
  readonly config: Config
  readonly screen: Screen
  readonly beginning: Beginning
  /** What `--model` named. */
  readonly model: string | undefined
}

/** What a session on the terminal works with: model, permissions, conversations and commands over a hub. */
export async function openDesk(setup: DeskSetup): Promise<Desk & AsyncDisposable> {
  const { hub, config, screen, beginning } = setup
  const { env, homeFolder, workspaceFolder: folder } = config.surroundings
  const settings = config.settings.model
  const stateFolder = places(env).state
  const store = openConversations({ stateFolder })
  const permissions = await openPermissions({ stateFolder, project: folder, config })
  let model = modelNamed(setup.model)
  const commands = openCommands({
    hub,
    session: () => session,
    conversations: keptConversations({ store, folder, session: () => session }),
    models: models(),
    folder,
  })
  let session = sessionOver(await firstConversation())
  if (model === undefined) {
    screen.say({ level: 'warning', text: 'No model is set: everything but the answers works.', next: howToSetModel })
  }

  return {
    commands,
    session: () => session,
    async switchTo(id) {
      const next = id === undefined ? store.create(folder) : await store.open(id)
      await session[Symbol.asyncDispose]()
      session = sessionOver(next)
    },
    conversations: () => store.list({ folder }),
    async [Symbol.asyncDispose]() {
      commands[Symbol.dispose]()
      await session[Symbol.asyncDispose]()
    },
  }

  function sessionOver(conversation: Conversation): Session {
    const inlinePercent = settings?.inlinePercent
    return openSession({
      hub,
      model,
      permissions,
      conversation,
      prepare: screen.prepareWith(commands),
      ...(inlinePercent === undefined ? {} : { inlinePercent }),
    })
  }

  async function firstConversation(): Promise<Conversation> {
    if (beginning.kind === 'named') return await store.open(beginning.id)
    const [last] = beginning.kind === 'last' ? await store.list({ folder, limit: 1 }) : []
    if (last !== undefined) return await store.open(last.id)
    if (beginning.kind === 'last') screen.say({ level: 'info', text: 'There is no conversation in this folder yet.' })
    return store.create(folder)
  }

  function modelNamed(named: string | undefined): Model | undefined {
    const choice = chooseModel({ named, env, settings })
    return choice === undefined ? undefined : openModel(choice, { env, homeFolder })
  }

  function models(): CommandsContext['models'] {
    return {
      list: async () => offeredModels({ env, settings }).map((id) => ({ id })),
      use: async (id) => {
        model = modelNamed(id)
        if (model !== undefined) session.useModel(model)
      },
    }
  }
}
