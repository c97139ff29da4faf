import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Language } from './api.ts'
import type { ToThread } from './messages.ts'

/** A thread with an engine in it, good for one run. */
export interface Thread {
  readonly worker: Worker
  readonly memoryBytes: number
  /** Settles when the thread has what it needs to make its engine; what is posted after that comes after it. */
  readonly prepared: Promise<void>
  post(message: ToThread): void
  /** Stops it wherever it is, and settles when it is gone. */
  stop(): Promise<void>
}

export interface ThreadOptions {
  readonly wasm: Promise<WebAssembly.Module>
  readonly memoryBytes: number
  readonly language: Language | undefined
}

/** Starts a thread. It does not keep the process alive: whoever waits for it says so with `worker.ref()`. */
export function spawnThread({ wasm, memoryBytes, language }: ThreadOptions): Thread {
  const worker = new Worker(workerFile(), {
    name: 'capstan exec',
    // Nothing of this process is passed on: neither its environment, nor its flags, nor its streams.
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: {
      // Room for what passes through on its way into the engine and out of it.
      maxOldGenerationSizeMb: 64 + Math.ceil(memoryBytes / 1024 / 1024),
      // The engine guards its own stack, and needs more of V8's for that than a thread has by itself.
      stackSizeMb: 4,
    },
  })
  worker.unref()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const post = (message: ToThread): void => worker.postMessage(message)
  const prepared = wasm.then((compiled) => post({ kind: 'prepare', wasm: compiled, memoryBytes, language }))
  // Whoever takes the thread learns of it; a spare one that nobody takes must not end the process.
  prepared.catch(() => undefined)
  return {
    worker,
    memoryBytes,
    prepared,
    post,
    async stop() {
      await worker.terminate()
    },
  }
}

/** Compiles the engine, once for all threads. */
export async function loadEngine(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')))
}

// The build puts the worker beside the file that starts it, in the library and in the bundled command line alike.
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)
}
