// Most promises here are kept by the compiler: this file is type-checked with the rest, and each @ts-expect-error must be one.
import { expect, expectTypeOf, test } from 'vitest'
import type { AiSdkOutput, AiSdkTools } from '../../../src/hosts/ai-sdk.ts'
import type * as Public from '../../../src/hosts/tools/index.ts'
import { threadSpecs } from '../../../src/hosts/tools/specs.ts'
import { toolOf } from '../../cli/literal-hub.ts'
import type { Approval, Invocation, McpToolEvent, McpToolName } from '../../../src/hosts/tools/index.ts'
import type { McpToolRequest, McpToolResult, Provider, Specs, ToolManager } from '../../../src/hosts/tools/index.ts'

/** The tools of a host, with types of their own. */
type ReadFile = { readonly kind: 'read_file'; readonly id: string; readonly input: { readonly path: string } }
type Wait = { readonly kind: 'wait'; readonly id: string; readonly input: { readonly seconds: number } }
type HostRequest = ReadFile | Wait | McpToolRequest

const specs = threadSpecs(
  { now: () => [toolOf('files', 'read')], onChange: () => ({ [Symbol.dispose]: () => {} }) },
  { provider: 'anthropic' },
)

test('a union of requests stays exhaustive, and those of the host keep their types', () => {
  const describeRequest = (request: HostRequest): string => {
    switch (request.kind) {
      case 'read_file':
        expectTypeOf(request.input).toEqualTypeOf<{ readonly path: string }>()
        return request.input.path
      case 'wait':
        return String(request.input.seconds)
      case 'mcp':
        // @ts-expect-error -- what a model wants of a server's tool is not for the host to look into
        void request.input
        return request.name
      default:
        return request satisfies never
    }
  }
  const forgetful = (request: HostRequest): string => {
    if (request.kind === 'read_file' || request.kind === 'wait') return 'own'
    // @ts-expect-error -- a kind was forgotten
    return request satisfies never
  }

  const request = specs.request({ id: '1', name: 'files__read', input: {} })

  expect(request && describeRequest(request)).toBe('mcp.files.read')
  expect(request && forgetful(request)).toBe(request)
})

test('a union of names stays exhaustive, and a name is shown but never made', () => {
  const describeName = (name: 'read_file' | 'wait' | McpToolName): string => {
    switch (name) {
      case 'read_file':
      case 'wait':
        return 'own'
      default:
        expectTypeOf(name).toEqualTypeOf<McpToolName>()
        return name.toUpperCase()
    }
  }
  // @ts-expect-error -- only the manager gives names
  const made: McpToolName = 'mcp.files.read'

  expect(specs.names.map(describeName)).toEqual(['MCP.FILES.READ'])
  expect(describeName(made)).toBe('MCP.FILES.READ')
})

test('requests, events and results cannot be made by a host', () => {
  const [name] = specs.names
  if (name === undefined) throw new Error('no tool')
  // @ts-expect-error -- made by `request` alone
  const request: McpToolRequest = { kind: 'mcp', id: '1', name }
  // @ts-expect-error -- made by an invocation alone
  const result: McpToolResult = { kind: 'mcp', id: '1', name, isError: false }
  // @ts-expect-error -- told by an invocation alone
  const event: Omit<McpToolEvent, 'invocation'> = { kind: 'mcp', id: '1', name }

  expect([request.kind, result.kind, event.kind]).toEqual(['mcp', 'mcp', 'mcp'])
})

test('what is closed stays closed in JSON too', () => {
  const request = specs.request({ id: '1', name: 'files__read', input: { path: '/secret' } })

  expect(JSON.parse(JSON.stringify(request))).toEqual({ kind: 'mcp', id: '1', name: 'mcp.files.read' })
})

test('definitions and answers have the shape of the provider that was named', () => {
  expectTypeOf(specs.tools).toEqualTypeOf<Public.AnthropicTool[]>()
  expectTypeOf<ReturnType<Specs<'google'>['answer']>>().toEqualTypeOf<Public.GoogleResult>()
  expectTypeOf<Specs<'openai'>['tools'][number]['function']['parameters']['type']>().toEqualTypeOf<'object'>()
  // @ts-expect-error -- no such provider
  const unknown: Provider = 'nobody'

  expect(unknown).toBe('nobody')
})

test('the states of a call are told apart by their kind', () => {
  const describeState = (state: Invocation['state']): string => {
    switch (state.kind) {
      case 'pending':
        return String(state.isAsking)
      case 'processing':
        return String(state.progress?.progress)
      case 'done':
        return state.result.id
      case 'error':
        return state.code
      default:
        return state satisfies never
    }
  }

  expect(describeState({ kind: 'pending', isAsking: true })).toBe('true')
})

test('an approval is one of the answers that exist', () => {
  // @ts-expect-error -- no such answer
  const wrong: Approval = { kind: 'perhaps' }

  expect(wrong.kind).toBe('perhaps')
})

test('no any leaks out', () => {
  expectTypeOf<Leaks<ToolManager>>().toEqualTypeOf<false>()
  expectTypeOf<Leaks<Invocation>>().toEqualTypeOf<false>()
  expectTypeOf<Leaks<Public.ToolManagerOptions>>().toEqualTypeOf<false>()
  expectTypeOf<Leaks<Specs<'anthropic'> & Specs<'google'>>>().toEqualTypeOf<false>()
  expectTypeOf<Leaks<Public.ProviderTools & Public.ProviderResults>>().toEqualTypeOf<false>()
  expectTypeOf<Leaks<AiSdkOutput>>().toEqualTypeOf<false>()
  expectTypeOf<Leaks<Pick<AiSdkTools, 'toolApproval' | 'follow'>, 3>>().toEqualTypeOf<false>()
  // The search itself works.
  expectTypeOf<Leaks<{ a: { b: () => Promise<{ c: ReturnType<typeof JSON.parse> }[]> } }>>().toEqualTypeOf<true>()
})

type IsAny<T> = 0 extends 1 & T ? true : false

/** Whether any is found within a type: in fields, parameters, results and elements, down to a depth. */
type Leaks<T, Depth extends number = 6> =
  IsAny<T> extends true
    ? true
    : Depth extends 0
      ? false
      : T extends (...parameters: infer P) => infer R
        ? true extends Leaks<P, Less[Depth]> | Leaks<R, Less[Depth]>
          ? true
          : false
        : T extends Promise<infer V>
          ? Leaks<V, Less[Depth]>
          : T extends readonly (infer E)[]
            ? Leaks<E, Less[Depth]>
            : T extends string | number | boolean | null | undefined | AbortSignal
              ? false
              : true extends { [K in keyof T]-?: Leaks<T[K], Less[Depth]> }[keyof T]
                ? true
                : false

type Less = [0, 0, 1, 2, 3, 4, 5, 6]
