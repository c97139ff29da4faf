import { exportPrompts, importPrompts } from './exchange-tools.ts'
import { diffPrompt, getPromptTool, listTags, promptHistory } from './read-tools.ts'
import { getRunbook } from './runbook-tool.ts'
import type { Runbooks } from './runbooks.ts'
import { searchPromptsTool } from './search-tool.ts'
import type { LibraryTool } from './tool.ts'
import { createPrompt, deletePrompt, labelPrompt, restorePrompt, updatePrompt } from './write-tools.ts'

/** What other programs get. */
export function allTools(runbooks: Runbooks): readonly LibraryTool[] {
  return [
    searchPromptsTool,
    getPromptTool,
    listTags,
    createPrompt,
    updatePrompt,
    deletePrompt,
    promptHistory,
    diffPrompt,
    restorePrompt,
    labelPrompt,
    importPrompts,
    exportPrompts,
    getRunbook(runbooks),
  ]
}
