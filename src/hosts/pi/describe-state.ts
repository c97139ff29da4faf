import { plainLine, type Catalogue, type ServerStatus } from '../../index.ts'

/** One line for each server: what it is doing, and what it offers. */
export function statusLines(statuses: readonly ServerStatus[], { tools, prompts }: Catalogue): readonly string[] {
  const count = (entries: readonly { readonly server: string }[], name: string) =>
    entries.filter(({ server }) => server === name).length
  return statuses.map(({ name, state }) => {
    const offer = `${counted(count(tools, name), 'tool')}, ${counted(count(prompts, name), 'prompt')}`
    return `${name}: ${state.kind === 'ready' ? `ready, ${offer}` : stateText(state)}`
  })
}

/** All of it in a few words, for a line below the editor. */
export function shortStatus(statuses: readonly ServerStatus[], { tools }: Catalogue): string {
  const wanted = statuses.filter(({ state, isBuiltin }) => state.kind !== 'disabled' && isBuiltin !== true)
  const broken = wanted.filter(({ state }) => whyBroken(state) !== undefined).length
  const working = broken === 0 ? '' : `${wanted.length - broken} of `
  return `MCP: ${working}${counted(wanted.length, 'server')}, ${counted(tools.length, 'tool')}`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Why a server that is wanted cannot be used; undefined when nothing is wrong with it. */
export function whyBroken(state: ServerStatus['state']): string | undefined {
  if (!('error' in state)) return undefined
  const { message, next } = state.error
  return plainLine(next === undefined ? message : `${message} ${next}`)
}

function stateText(state: ServerStatus['state']): string {
  return whyBroken(state) ?? (state.kind === 'idle' ? 'not started' : state.kind)
}
