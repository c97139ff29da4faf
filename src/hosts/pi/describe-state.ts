import { plainLine, type Catalogue, type ServerStatus } from '../../index.ts'

/** One line for each server: what it is doing, and what it offers. */
export function statusLines(statuses: readonly ServerStatus[], { tools, prompts }: Catalogue): readonly string[] {
  const count = (entries: readonly { readonly server: string }[], name: string) =>
    entries.filter(({ server }) => server === name).length
  return statuses.map(({ name, state }) => {
    const offer = `${count(tools, name)} tools, ${count(prompts, name)} prompts`
    return `${name}: ${state.kind === 'ready' ? `ready, ${offer}` : stateText(state)}`
  })
}

/** All of it in a few words, for a line below the editor. */
export function shortStatus(statuses: readonly ServerStatus[], { tools }: Catalogue): string {
  const wanted = statuses.filter(({ state, isBuiltin }) => state.kind !== 'disabled' && isBuiltin !== true)
  const broken = wanted.filter(({ state }) => whyBroken(state) !== undefined).length
  const servers = broken === 0 ? String(wanted.length) : `${wanted.length - broken} of ${wanted.length}`
  return `MCP: ${servers} servers, ${tools.length} tools`
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
