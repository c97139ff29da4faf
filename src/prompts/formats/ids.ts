/** The formats by the words that people choose them with; apart from the formats themselves, which need a parser. */
export const formatIds = ['jsonl', 'claude', 'skill', 'vscode', 'fabric', 'csv'] as const

export type FormatId = (typeof formatIds)[number]

/** The clients that make slash commands of files. */
export const slashClientIds = ['claude-code', 'codex', 'cursor', 'gemini', 'opencode', 'vscode'] as const

export type SlashClientId = (typeof slashClientIds)[number]
