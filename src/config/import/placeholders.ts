import type { RawEntry } from '../types.ts'
import { mapStrings } from './json.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What the `${…}` in an entry need before the server can start. */
export interface PlaceholderNeeds {
  /** Forms that Capstan does not know, as they stand in the entry. */
  readonly unknown: readonly string[]
  /** Variables that are not set here and have no default. */
  readonly unset: readonly string[]
  /** Inputs that are asked for once. */
  readonly inputs: readonly string[]
}

/** Looks at the fields that are interpolated when a server starts. Pure. */
export function placeholderNeeds(entry: RawEntry, env: Environment): PlaceholderNeeds {
  const unknown = new Set<string>()
  const unset = new Set<string>()
  const inputs = new Set<string>()
  for (const value of interpolatedTexts(entry)) {
    for (const form of formsIn(value)) {
      const variable = /^\$\{(?:env:)?([A-Za-z_]\w*)(:-[^]*)?\}$/.exec(form)
      const input = /^\$\{input:([^}]+)\}$/.exec(form)
      if (input?.[1] !== undefined) inputs.add(input[1])
      else if (variable?.[1] === undefined || isForeign(form)) unknown.add(form)
      else if (variable[2] === undefined && !ours.has(variable[1]) && env[variable[1]] === undefined)
        unset.add(variable[1])
    }
  }
  return { unknown: [...unknown], unset: [...unset], inputs: [...inputs] }
}

const ours = new Set(['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator'])

// VS Code's words for things that only an editor has; as names of variables they would merely look unset.
const editorWords = new Set(
  (
    'file fileBasename fileBasenameNoExtension fileDirname fileDirnameBasename fileExtname fileWorkspaceFolder lineNumber ' +
    'columnNumber relativeFile relativeFileDirname selectedText cwd execPath defaultBuildTask extensionPath'
  ).split(' '),
)

function isForeign(form: string): boolean {
  return editorWords.has(form.slice(2, -1))
}

function interpolatedTexts(entry: RawEntry): readonly string[] {
  const texts: string[] = []
  for (const field of ['command', 'args', 'env', 'cwd', 'url', 'headers']) {
    mapStrings(entry[field] ?? null, (value) => {
      texts.push(value)
      return value
    })
  }
  return texts
}

/** `${…}` with its nested braces, `{file:…}` of opencode; `$${` is a literal and `${/}` the path separator. */
function formsIn(text: string): readonly string[] {
  return [...text.matchAll(/\$\$\{|\$\{\/\}|\$\{(?:[^{}]|\$\{[^{}]*\})*\}|\{(?:file|env):[^}]*\}/g)]
    .map(([form]) => form)
    .filter((form) => form !== '$${' && form !== '${/}')
}
