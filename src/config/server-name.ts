/** Whether a server may have this name; `mcp` is reserved for `mcp.server.tool`. */
export function isServerName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) && name !== 'mcp'
}

/** The closest allowed server name: `slugOf('My Café!')` is `My-Cafe`. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[-_]+|-+$/g, '')
  if (slug === '') return 'server'
  return slug === 'mcp' ? 'mcp-server' : slug
}
