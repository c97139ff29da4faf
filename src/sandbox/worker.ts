import { parentPort } from 'node:worker_threads'
import { unreachable } from '../errors.ts'
import { warmTypeScript } from './compile.ts'
import { createEngine, type Engine } from './engine.ts'
import { createGuestRun, type GuestRun } from './guest-run.ts'
import { bridgeAnswers } from './guest.ts'
import type { ToHost, ToThread } from './messages.ts'

// The entry point of the thread that holds an engine, for one run only.
if (parentPort === null) throw new Error('This file runs in a worker thread.')
const port = parentPort
const receive = createReceiver((message) => port.postMessage(message))
port.on('message', (message: ToThread) => void receive(message))

function createReceiver(post: (message: ToHost) => void): (message: ToThread) => Promise<void> {
  let engine: Promise<Engine> | undefined
  let run: GuestRun | undefined

  async function prepare({ wasm, memoryBytes, language }: Extract<ToThread, { kind: 'prepare' }>): Promise<Engine> {
    const made = await createEngine({
      wasm,
      memoryBytes,
      onRequest: (request, details) => run?.request(request, details) ?? bridgeAnswers.done,
    })
    if (language === 'ts') warmTypeScript()
    return made
  }

  return async (message) => {
    switch (message.kind) {
      case 'prepare':
        engine = prepare(message)
        return
      case 'run':
        if (engine === undefined) throw new Error('A run came before its engine.')
        run = createGuestRun({ engine: await engine, order: message, post })
        return run.start()
      case 'settle':
        return run?.settle(message.id, message.answer)
      default:
        return unreachable(message)
    }
  }
}
