import { EvalFlags, Intrinsics, JSException, MAX_STACK_SIZE, QuickJS, type JSValueHandle } from 'quickjs-wasi'
import { snippetFile } from './frames.ts'
import { guestSource, type Guest, type GuestRequest } from './guest.ts'

export type Detail = string | number
/** Reads one detail of a request. Each costs a copy, so that only those are read which are needed. */
export type Details = (index: number) => Detail
export type OnRequest = (request: GuestRequest, details: Details) => number

/** One JavaScript engine with the guest's world in it. After a failure that is not the snippet's it is thrown away. */
export interface Engine {
  /** What is wrong with a text, without running it. */
  syntaxProblem(code: string, kind: 'script' | 'module'): EngineError | undefined
  /** `code` is an expression whose value is the function to run. */
  start(code: string, toolsJson: string, isExpression: boolean): void
  /** `argsJson` is what its default export is called with; without it, the exports of these names are the result. */
  startModule(code: string, toolsJson: string, asked: { readonly namesJson: string; readonly argsJson: string }): void
  enter<Name extends Exclude<keyof Guest, 'start' | 'open' | 'startModule'>>(
    name: Name,
    ...args: Parameters<Guest[Name]>
  ): void
  /** Runs what became ready, until nothing is. */
  drain(): void
  isMemoryFull(): boolean
}

export interface EngineError {
  readonly name: string
  readonly message: string
  readonly stack: string
}

export interface EngineOptions {
  readonly wasm: WebAssembly.Module
  readonly memoryBytes: number
  readonly onRequest: OnRequest
}

export async function createEngine({ wasm, memoryBytes, onRequest }: EngineOptions): Promise<Engine> {
  const vm = await QuickJS.create({
    wasm,
    memoryLimit: memoryBytes,
    maxStackSize: MAX_STACK_SIZE,
    // What runs when an object is collected would throw outside of the snippet.
    intrinsics: (Intrinsics.ALL & ~Intrinsics.WEAK_REF) >>> 0,
    timezoneOffset: 0,
    wasi: silentOutput,
  })
  const bridge = vm.newFunction('bridge', (request, ...details) => {
    const answer = onRequest(plainDetail(request) as GuestRequest, (index) => plainDetail(details[index]))
    return vm.newNumber(answer)
  })
  const guest = vm.callFunction(vm.evalCode(guestSource(), 'capstan'), vm.undefined, bridge)

  function call(name: keyof Guest, args: readonly JSValueHandle[]): void {
    using method = guest.getProp(name)
    vm.callFunction(method, vm.undefined, ...args).dispose()
    for (const arg of args) arg.dispose()
  }

  function handle(value: Detail): JSValueHandle {
    if (typeof value === 'number') return vm.newNumber(value)
    const made = vm.newString(value)
    // A text for which there is no room comes back as a value that must not be used.
    if (!made.isString) throw new Error(outOfMemory)
    return made
  }

  return {
    syntaxProblem(code, kind) {
      const flags = EvalFlags.COMPILE_ONLY | (kind === 'module' ? EvalFlags.TYPE_MODULE : 0)
      try {
        vm.evalCode(code, snippetFile, flags).dispose()
        return undefined
      } catch (error) {
        if (!(error instanceof JSException)) throw error
        return { name: error.name, message: error.message, stack: error.stack ?? '' }
      }
    },
    start(code, toolsJson, isExpression) {
      const snippet = vm.evalCode(code, snippetFile)
      call('open', [handle(toolsJson)])
      call('start', [snippet, isExpression ? vm.true.dup() : vm.false.dup()])
    },
    startModule(code, toolsJson, { namesJson, argsJson }) {
      // Its top level runs with the next line, so the world must be there before.
      call('open', [handle(toolsJson)])
      const loading = vm.evalCode(code, snippetFile, EvalFlags.TYPE_MODULE)
      call('startModule', [loading, handle(namesJson), handle(argsJson)])
    },
    enter(name, ...args) {
      call(name, args.map(handle))
    },
    drain() {
      vm.executePendingJobs()
    },
    isMemoryFull() {
      return vm.getMemoryUsage().mallocSize > memoryBytes * 0.95
    },
  }
}

/** Whether an error says that memory ran out. The engine has no other sign of it than this text, which a test holds. */
export function isOutOfMemory({ name, message }: { readonly name: string; readonly message: string }): boolean {
  return (name === 'InternalError' && message === outOfMemory) || message.endsWith(outOfMemory)
}

const outOfMemory = 'out of memory'

// Turning an object into a text would run code of the snippet in the middle of the host's.
function plainDetail(detail: JSValueHandle | undefined): Detail {
  if (detail === undefined) return ''
  if (detail.isString) return detail.toString()
  return detail.isNumber ? detail.toNumber() : ''
}

/** The engine's own messages go nowhere, but count as written. */
function silentOutput(memory: { readonly buffer: ArrayBuffer }): Record<string, (...args: number[]) => number> {
  return {
    fd_write(_file = 0, vectors = 0, count = 0, written = 0) {
      const view = new DataView(memory.buffer)
      let bytes = 0
      for (let index = 0; index < count; index++) bytes += view.getUint32(vectors + index * 8 + 4, true)
      view.setUint32(written, bytes, true)
      return 0
    },
  }
}
