import { basename } from 'node:path'
import type { OwnTool } from '../../config/types.ts'
import { CapstanError, unreachable } from '../../errors.ts'
import type { ExecOutcome, ModuleExports, RunOptions, Sandbox, SnippetError } from '../../sandbox/api.ts'
import type { JsonObject, JsonValue } from '../api.ts'
import type { OwnToolFacts } from './own-tool-store.ts'
import { schemaProblem } from './schema-problem.ts'
import { isObject } from '../../json.ts'

const exportNames = ['default', 'title', 'description', 'input', 'output', 'annotations', 'allow']
// Below the deadline of a catalogue, and far above what a file takes whose thread gets its share of the machine.
const readLimits = { timeMs: 8000, calls: 0, resultBytes: 128 * 1024 }

/** Reads what a tool file exports, by running its top level in the sandbox, where no tool is there. */
export async function readOwnTool(tool: OwnTool, sandbox: Sandbox): Promise<OwnToolFacts> {
  const outcome = await sandbox.run(tool.code, {
    ...nothingThere,
    language: tool.language,
    entry: { kind: 'exports', names: exportNames },
    limits: readLimits,
    // With places of its own: a run may wait for the tools that it is to have.
    depth: -1,
  })
  switch (outcome.kind) {
    case 'returned': {
      const exported = asExports(outcome.value)
      const problem = problemIn(exported)
      return problem === undefined ? factsOf(tool.name, exported) : broken(tool, problem)
    }
    case 'threw':
      return broken(tool, errorInFile(outcome.error, tool.file))
    case 'deadlock':
      return broken(tool, 'its top level waits for something that never comes')
    case 'limit':
      return outOfLimits(tool, outcome)
    case 'cancelled':
      throw new CapstanError('cancelled', 'The sandbox was closed.', { server: 'my' })
    default:
      return unreachable(outcome)
  }
}

const nothingThere: RunOptions = {
  tools: {},
  call: () => Promise.reject(noTools()),
  search: () => Promise.reject(noTools()),
  inspect: () => Promise.reject(noTools()),
  nearest: () => [],
}

function noTools(): CapstanError {
  return new CapstanError('usage', 'No tool can be called before the function runs.')
}

function outOfLimits(tool: OwnTool, { limit, message }: Extract<ExecOutcome, { kind: 'limit' }>): OwnToolFacts {
  if (limit === 'calls') return broken(tool, 'its top level calls a tool, which only its function can')
  if (limit === 'result') return broken(tool, `what it exports is larger than ${readLimits.resultBytes / 1024} KB`)
  if (limit !== 'time') return broken(tool, message.replace(/\.$/, ''))
  const late = `its top level did not end within ${readLimits.timeMs / 1000} s`
  return { ...broken(tool, late, 'Correct the file, or try again: capstan list my --fresh'), isLate: true }
}

function broken({ name, file }: OwnTool, problem: string, next = 'Correct the file.') {
  const message = `The tool my.${name} is left out: ${problem} (${file}).`
  const error = new CapstanError('config_invalid', message, { server: 'my', next })
  return { kind: 'broken' as const, error: error.toJSON() }
}

/** An error as people look for it: `report.ts:3:9: TypeError: …`. */
export function errorInFile({ name, message, line, column }: SnippetError, file: string): string {
  const place = [basename(file), line, column].filter((part) => part !== undefined).join(':')
  return `${place}: ${name}: ${message.replace(/\.$/, '')}`
}

function asExports(value: JsonValue): ModuleExports {
  const { types, values } = isObject(value) ? value : {}
  return {
    types: isObject(types) ? (types as ModuleExports['types']) : {},
    values: isObject(values) ? values : {},
  }
}

/** What leaves a sandbox is anything at all, so each part is looked at. */
function problemIn({ types, values }: ModuleExports): string | undefined {
  const { title, description, input, output, annotations, allow } = values
  if (types['default'] !== 'function') return 'it has no default export that is a function'
  if (title !== undefined && typeof title !== 'string') return 'its export "title" is no text'
  if (description !== undefined && typeof description !== 'string') return 'its export "description" is no text'
  if (annotations !== undefined && !isObject(annotations)) return 'its export "annotations" is no object'
  if (allow !== undefined && !isTexts(allow)) return 'its export "allow" is no list of names'
  return schemaExportProblem('input', input) ?? schemaExportProblem('output', output)
}

function schemaExportProblem(name: string, schema: JsonValue | undefined): string | undefined {
  if (schema === undefined) return undefined
  if (!isObject(schema) || (schema['type'] !== undefined && schema['type'] !== 'object'))
    return `its export "${name}" is no JSON Schema of an object, such as { type: 'object', properties: { … } }`
  const problem = schemaProblem(schema)
  return problem === undefined ? undefined : `its export "${name}" is no valid JSON Schema: ${problem}`
}

function factsOf(name: string, { values }: ModuleExports): OwnToolFacts {
  const { title, description, input, output, annotations, allow } = values
  const definition: JsonObject = {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: { type: 'object', ...(isObject(input) ? input : {}) },
    ...(isObject(output) ? { outputSchema: { type: 'object', ...output } } : {}),
    ...(annotations === undefined ? {} : { annotations }),
  }
  return { kind: 'tool', definition, ...(allow !== undefined && isTexts(allow) ? { allow } : {}) }
}

function isTexts(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
