import { openLiveCatalogue, type LiveCatalogue, type ReachedHub } from '../../index.ts'

/** A hub with what its servers offer, kept up to date. */
export interface Connection {
  readonly hub: ReachedHub
  readonly live: LiveCatalogue
  /** Resolves when every server has answered, or has had its time. */
  readonly loaded: Promise<void>
}

/** The way to the hub, for as long as a session lasts: a hub that went away is reached anew when it is next needed. */
export interface HubLink extends AsyncDisposable {
  readonly connection: () => Promise<Connection>
  /** Gives up the hub at hand: the next need reaches one with the config as it is then. */
  readonly reset: () => Promise<void>
}

export interface LinkOptions {
  readonly reach: () => Promise<ReachedHub>
  /** What the servers offer, or how one of them stands, is not what it was. */
  readonly onChange: (connection: Connection) => void
}

export function hubLink({ reach, onChange }: LinkOptions): HubLink {
  let current: Promise<Connection> | undefined
  const reset = async (): Promise<void> => {
    const old = current
    current = undefined
    await close(old)
  }
  return { connection: () => (current ??= open()), reset, [Symbol.asyncDispose]: reset }

  function open(): Promise<Connection> {
    const opening = reach().then((hub) => {
      const live = openLiveCatalogue(hub)
      const connection = { hub, live, loaded: live.refresh({}) }
      live.on(() => onChange(connection))
      void hub.closed.then(() => forget(opening))
      return connection
    })
    opening.catch(() => forget(opening))
    return opening
  }

  function forget(one: Promise<Connection>): void {
    if (current === one) current = undefined
    void one.then(
      ({ live }) => live[Symbol.dispose](),
      () => undefined,
    )
  }
}

async function close(connection: Promise<Connection> | undefined): Promise<void> {
  const opened = await connection?.catch(() => undefined)
  opened?.live[Symbol.dispose]()
  await opened?.hub[Symbol.asyncDispose]()
}
