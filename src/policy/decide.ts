import { matchesGlob } from './globs.ts'

interface ToolOfServer {
  readonly server: string
  readonly tool: string
}

/** Whether a server's tool exists for us at all. No `include` means all; `exclude` beats `include`. */
export function toolExists(
  tools: { readonly include: readonly string[]; readonly exclude: readonly string[] },
  tool: string,
): boolean {
  const isIncluded = tools.include.length === 0 || tools.include.some((pattern) => matchesGlob(pattern, tool))
  return isIncluded && !tools.exclude.some((pattern) => matchesGlob(pattern, tool))
}

/** Whether a tool never runs, through any door. A pattern fits the bare tool name or `server.tool`. */
export function isDenied(deny: readonly string[], tool: ToolOfServer): boolean {
  return deny.some((pattern) => fits(pattern, tool))
}

/** Whether a tool runs unasked where a model chooses: allowed by a pattern and denied by none. */
export function isAllowed(
  lists: { readonly allow: readonly string[]; readonly deny: readonly string[] },
  tool: ToolOfServer,
): boolean {
  return lists.allow.some((pattern) => fits(pattern, tool)) && !isDenied(lists.deny, tool)
}

/**
 * Which of these servers can have a tool that the patterns allow. One that begins with a server's name and a dot means that server;
 * any other may fit a tool of every server.
 */
export function serversAllowed(allow: readonly string[], servers: readonly string[]): readonly string[] {
  const meant = allow.map((pattern) => /^([^.*?{]+)\./.exec(pattern)?.[1])
  if (!meant.every((server) => server !== undefined && servers.includes(server))) return servers
  return servers.filter((server) => meant.includes(server))
}

function fits(pattern: string, { server, tool }: ToolOfServer): boolean {
  return matchesGlob(pattern, tool) || matchesGlob(pattern, `${server}.${tool}`)
}
