import type { ToolEntry } from '../hub/api.ts'

/** What a tool says about itself, in words for whoever is asked. They are the server's words, and may be wrong. */
export function toolHints({ annotations = {} }: Pick<ToolEntry, 'annotations'>): readonly string[] {
  const { readOnlyHint, destructiveHint, openWorldHint, idempotentHint } = annotations
  if (readOnlyHint === true)
    return ['says that it only reads', ...(openWorldHint === true ? ['reaches out to the world'] : [])]
  return [
    ...(destructiveHint === true ? ['may delete or overwrite'] : []),
    ...(destructiveHint === false ? ['says that it only adds'] : []),
    ...(openWorldHint === true ? ['reaches out to the world'] : []),
    ...(idempotentHint === true ? ['says that a repetition changes nothing'] : []),
  ]
}
