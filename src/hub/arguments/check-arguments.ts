import { CapstanError } from '../../errors.ts'
import type { JsonObject, JsonSchema, ToolEntry } from '../api.ts'
import { compileSchema, type CompiledSchema } from './compile-schema.ts'
import { describeViolations } from './describe-violation.ts'
import { timeBound } from './time-bound.ts'

/** Checks values against a tool's schemas. Compiles each schema once. */
export interface SchemaCheck {
  /** Throws `arguments_invalid` with every violation: where, what was expected, what came. */
  readonly assertArguments: (tool: ToolEntry, args: JsonObject) => void
  /** What is wrong with a structured result; empty when it fits. */
  readonly outputProblems: (tool: ToolEntry, structured: unknown) => readonly string[]
}

const checkMs = 100

export function schemaCheck(): SchemaCheck {
  const inTime = timeBound(checkMs)
  const compiled = new WeakMap<JsonSchema, CompiledSchema>()
  const problems = (original: JsonSchema, value: unknown): readonly string[] => {
    const { schema, violations } = compiled.get(original) ?? compileSchema(original, inTime)
    compiled.set(original, { schema, violations })
    const found = violations(value)
    return found.length === 0 ? [] : describeViolations(found, schema, value)
  }
  return {
    assertArguments(tool, args) {
      const found = problems(tool.inputSchema, args)
      if (found.length === 0) return
      throw new CapstanError('arguments_invalid', `Bad arguments for ${tool.id}: ${found.join('; ')}.`, {
        server: tool.server,
        next: `Run: capstan inspect ${tool.id}`,
      })
    },
    outputProblems: (tool, structured) =>
      tool.outputSchema === undefined ? [] : problems(tool.outputSchema, structured),
  }
}
