import { basename, sep } from 'node:path'
import { unreachable } from '../errors.ts'
import { entryError, mendIn } from './fields.ts'
import { inputVariable, type AnswerInput } from './inputs.ts'
import type { RunCommand } from './run-command.ts'
import { parseTemplate, type Part, type PlaceName } from './template.ts'
import type { Layer, Surroundings } from './types.ts'

/** Whose value is being filled in. */
export interface EntryOrigin {
  readonly name: string
  readonly file?: string
  readonly layer: Layer
}

export interface FillInOptions {
  readonly where: EntryOrigin
  readonly surroundings: Surroundings
  readonly runCommand: RunCommand
  readonly inputs: AnswerInput
}

/** Fills in the `${…}` of one value. `path` is what an error calls it: `github.env.TOKEN`. */
export type FillIn = (text: string, path: string) => Promise<string>

export function makeFillIn(options: FillInOptions): FillIn {
  return async (text, path) => {
    const values = await Promise.all(parseTemplate(text).map((part) => valueOf(part, path, options)))
    return values.join('')
  }
}

/** The home folder for a leading `~`, as a shell has it. Done on the text of the file, never on what was filled in. */
export function expandTilde(text: string, homeFolder: string): string {
  // The folder is a value: a `${` in its name must come out as it is.
  return text.replace(/^~(?=$|[\\/])/, () => homeFolder.replaceAll('${', () => '$${'))
}

async function valueOf(part: Part, path: string, options: FillInOptions): Promise<string> {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'place':
      return placeOf(part.place, options.surroundings)
    case 'variable':
      return variable(part, path, options)
    case 'command':
      return commandOutput(part.text, path, options)
    case 'input':
      return inputAnswer(part.id, path, options)
    case 'broken':
      throw entryError('config_invalid', options.where, {
        problem: `${path}: ${part.problem}`,
        next: `Correct it in ${mendIn(options.where)}; for a literal "\${" write "$\${".`,
      })
    default:
      return unreachable(part)
  }
}

function placeOf(place: PlaceName, { workspaceFolder, homeFolder }: Surroundings): string {
  switch (place) {
    case 'workspaceFolder':
      return workspaceFolder
    case 'workspaceFolderBasename':
      return basename(workspaceFolder)
    case 'userHome':
      return homeFolder
    case 'pathSeparator':
    case '/':
      return sep
    default:
      return unreachable(place)
  }
}

/** As in a shell, a default also stands in for a variable that is set but empty. */
async function variable(
  { name, fallback }: Extract<Part, { kind: 'variable' }>,
  path: string,
  options: FillInOptions,
): Promise<string> {
  const value = options.surroundings.env[name]
  if (fallback !== undefined && (value === undefined || value === '')) {
    return (await Promise.all(fallback.map((part) => valueOf(part, path, options)))).join('')
  }
  if (value !== undefined) return value
  throw entryError('config_invalid', options.where, {
    problem: `${path} needs the environment variable ${name}, which is not set`,
    next: `Set ${name} in your shell, or write a default: \${${name}:-value}.`,
  })
}

async function commandOutput(text: string, path: string, { where, runCommand }: FillInOptions): Promise<string> {
  if (where.layer === 'project') {
    throw entryError('config_invalid', where, {
      problem: `${path} uses "\${cmd:…}", which is not allowed in a project's file`,
      next: `Use a variable such as \${TOKEN} there, or move the server to your own mcp.json.`,
    })
  }
  const outcome = await runCommand(text)
  if (outcome.kind === 'printed') return outcome.text
  throw entryError('config_invalid', where, {
    problem: `the command "${text}" of ${path} failed: ${outcome.reason.replace(/\.$/, '')}`,
    next: 'Run the command yourself to see what it needs.',
  })
}

async function inputAnswer(id: string, path: string, { where, surroundings, inputs }: FillInOptions): Promise<string> {
  const variableName = inputVariable(id)
  const answer = surroundings.env[variableName] ?? (await inputs({ id, server: where.name, file: where.file ?? '' }))
  if (answer !== undefined) return answer
  throw entryError('config_invalid', where, {
    problem: `${path} needs the input "${id}", which has not been given yet`,
    next: `Run the command on a terminal, where Capstan asks for it once, or set ${variableName}.`,
  })
}
