import type { ToolEntry } from '../../hub/api.ts'

/** What a server says about a tool's effects, in words. These are the server's own claims, which nobody has checked. */
export function describeAnnotations(annotations: ToolEntry['annotations']): readonly string[] {
  if (annotations === undefined) return []
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations
  return [
    ...(readOnlyHint === true ? ['changes nothing'] : []),
    ...(readOnlyHint === true ? [] : changes(destructiveHint)),
    ...(idempotentHint === true && readOnlyHint !== true ? ['doing it twice is the same as doing it once'] : []),
    ...(openWorldHint === true ? ['reaches outside systems'] : []),
    ...(openWorldHint === false ? ['stays within its own system'] : []),
  ]
}

function changes(isDestructive: boolean | undefined): readonly string[] {
  if (isDestructive === undefined) return []
  return isDestructive ? ['may destroy data'] : ['adds, but destroys nothing']
}
