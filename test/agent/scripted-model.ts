import type { Model, StepPart, StepRequest } from '../../src/agent/model.ts'
import type { JsonObject } from '../../src/hub/values.ts'

export interface ScriptedModel extends Model {
  readonly requests: StepRequest[]
}

/** A model without a wire: each step gives the next list of parts, one at a time. Beyond the script it says "end". */
export function scriptedModel(...script: readonly (readonly StepPart[])[]): ScriptedModel {
  const requests: StepRequest[] = []
  const model: ScriptedModel = {
    id: 'scripted',
    contextTokens: 128_000,
    tools: 'native',
    requests,
    withXmlTools: () => model,
    async *step(request, { signal }) {
      const parts = script[requests.length] ?? says('end')
      requests.push(request)
      for (const part of parts) {
        await new Promise((resolve) => setImmediate(resolve))
        if (signal.aborted) return
        yield part
      }
    },
  }
  return model
}

export function says(text: string): readonly StepPart[] {
  return [...text.split(/(?<= )/).map((word) => ({ kind: 'text', text: word }) as const), ended('complete')]
}

/** A step that calls tools side by side. */
export function calls(
  ...wanted: readonly (readonly [callId: string, name: string, value: JsonObject])[]
): readonly StepPart[] {
  const parts = wanted.flatMap(([callId, name, value]): StepPart[] => [
    { kind: 'call_begins', callId, name },
    { kind: 'call', callId, name, input: { kind: 'json', value } },
  ])
  return [...parts, ended('calls')]
}

function ended(end: 'complete' | 'calls'): StepPart {
  return { kind: 'end', end, usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 0 } }
}
