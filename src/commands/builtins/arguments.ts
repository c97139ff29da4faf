import type { Candidate, CommandArgument, CommandArguments, Completer } from '../command.ts'

type ArgumentOptions = Pick<CommandArgument, 'description'> & Partial<Omit<CommandArgument, 'name' | 'description'>>

/** An argument of a built-in command: by its place, never by its name, so that its text may hold anything. */
export function argument(name: string, options: ArgumentOptions): CommandArgument {
  return { name, kind: 'text', required: false, isPositional: true, ...options }
}

export function takes(...slots: readonly CommandArgument[]): CommandArguments {
  return { slots }
}

export function takesNothing(): CommandArguments {
  return { slots: [] }
}

/** Completes from a list that is at hand or soon there. A list that cannot be had offers nothing. */
export function completeFrom(list: () => readonly Candidate[] | Promise<readonly Candidate[]>): Completer {
  return async () => {
    try {
      return { items: await list() }
    } catch {
      // Suggestions are a courtesy: running the command says what is wrong.
      return { items: [] }
    }
  }
}

/** A command whose first word is one of these actions, else something to look for. */
export function actionSlot(actions: Readonly<Record<string, string>>, others?: Completer): CommandArgument {
  const items = Object.entries(actions).map(([value, detail]) => ({ value, detail }))
  return argument('action', {
    description: Object.keys(actions).join(', '),
    complete: async (typed, options) => {
      const more = await others?.(typed, options)
      return { items: [...items, ...(more?.items ?? [])] }
    },
  })
}
