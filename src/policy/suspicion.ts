interface DescribedTool {
  readonly server: string
  readonly tool: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: unknown
  readonly annotations?: unknown
}

/**
 * What is odd about a tool's definition, as ends of sentences that begin with its name: text that a model reads and a person does not
 * see, and names that are made to look like somebody else's. Odd is not bad; whoever uses it should have a look.
 */
export function suspicionsOf(tool: DescribedTool, servers: readonly string[]): readonly string[] {
  const texts = [tool.tool, tool.title ?? '', tool.description ?? '', ...textsIn([tool.inputSchema, tool.annotations])]
  const hidden = texts.reduce((sum, text) => sum + (text.match(hiddenCharacters)?.length ?? 0), 0)
  const other = servers.find((server) => server !== tool.server && looksLikeOf(tool.tool, server))
  return [
    ...(hidden === 0 ? [] : [`has ${hidden} characters in its definition that nobody can see`]),
    ...(other === undefined ? [] : [`is called as if it were one of server "${other}"`]),
    ...(hasMixedLetters(tool.tool) ? ['has letters of several scripts in its name, which can look alike'] : []),
  ]
}

// Bidi marks and overrides, zero-width characters (but not the joiner of emoji), and tag characters, which can hold a whole sentence.
const hiddenCharacters =
  /[\u00AD\u061C\u180E\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu

function looksLikeOf(tool: string, server: string): boolean {
  return ['__', '.', '/', ':'].some((between) => tool.toLowerCase().startsWith(`${server.toLowerCase()}${between}`))
}

function hasMixedLetters(name: string): boolean {
  return /\p{Script=Latin}/u.test(name) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(name)
}

const deepest = 50

/** Every text in a value: descriptions, defaults, allowed values and names of arguments are all read by models. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > deepest) return []
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item, depth + 1)])
}
