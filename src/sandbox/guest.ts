/** Asks the thread around the engine for something. Only texts and numbers pass, in both directions. */
export type Bridge = (request: GuestRequest, ...details: readonly (string | number)[]) => number

export type GuestRequest = 'call' | 'search' | 'inspect' | 'log' | 'timer' | 'clear' | 'returned' | 'threw'

/** What the bridge answers. Nothing is thrown through it, because an error of the host would show the host's paths. */
export const bridgeAnswers = { done: 0, later: 1, tooLarge: 2, tooMany: 3, tooDeep: 4 } as const

/** The text to run in the engine: a function that takes the bridge and gives back the guest's functions. */
export function guestSource(): string {
  return `((bridge) => (${installGuest.toString()})(bridge, ${JSON.stringify(bridgeAnswers)}))`
}

/** The functions through which the thread enters the engine. */
export interface Guest {
  /** Comes first: gives the world its tools. */
  open(toolsJson: string): void
  start(snippet: () => unknown, isExpression: boolean): void
  startModule(loading: Promise<unknown>, namesJson: string, argsJson: string): void
  settleValue(id: number, json: string): void
  settleError(id: number, name: string, message: string, code: string): void
  fire(timer: number): void
}

/**
 * Builds the world that a snippet sees. The text of this function is what runs, inside the engine: so it may use
 * nothing from outside of itself. It takes hold of every built-in before the snippet runs, so that a snippet which
 * changes them deceives only itself; for the same reason it never iterates or spreads what is its own.
 */
function installGuest(bridge: Bridge, answers: typeof bridgeAnswers): Guest {
  'use strict'
  interface Waiting {
    readonly resolve: (value: unknown) => void
    readonly reject: (error: unknown) => void
    readonly error: Error
  }
  interface Posting {
    readonly kind: 'call' | 'search' | 'inspect'
    readonly id: number
    readonly name: string
    readonly tool: string
    readonly json: string
    readonly raw: number
  }
  type Key = string | symbol

  const { parse, stringify } = JSON
  const { create, defineProperty, freeze } = Object
  const { isArray } = Array
  const { apply } = Reflect
  const [TextOf, ErrorHere, TypeErrorHere, RangeErrorHere] = [String, Error, TypeError, RangeError]
  const [MapHere, PromiseHere, ProxyHere] = [Map, Promise, Proxy]
  const EngineError = (globalThis as { InternalError?: ErrorConstructor }).InternalError ?? Error
  // oxlint-disable-next-line typescript/unbound-method -- only called through apply, with their map
  const { get: mapGet, set: mapSet, has: mapHas, delete: mapDelete } = Map.prototype
  // oxlint-disable-next-line typescript/unbound-method -- only called through apply, with its text
  const { slice: textSlice } = String.prototype

  const settled = PromiseHere.resolve()

  const waiting = new MapHere<number, Waiting>()
  const queue = new MapHere<number, Posting>()
  const timers = new MapHere<number, { readonly callback: unknown; readonly args: readonly unknown[] }>()
  let [lastId, firstQueued, lastQueued, lastTimer] = [0, 1, 0, 0]

  const get = <K, V>(map: Map<K, V>, key: K): V | undefined => apply(mapGet, map, [key])
  const set = <K, V>(map: Map<K, V>, key: K, value: V): unknown => apply(mapSet, map, [key, value])
  const has = <K>(map: Map<K, unknown>, key: K): boolean => apply(mapHas, map, [key])
  const remove = <K>(map: Map<K, unknown>, key: K): boolean => apply(mapDelete, map, [key])
  // Without a prototype, so that nothing a snippet adds to Object.prototype is taken for a part of it.
  const descriptor = (value: unknown): PropertyDescriptor =>
    ({ __proto__: null, value, enumerable: true, configurable: true, writable: true }) as PropertyDescriptor

  function open(toolsJson: string): void {
    define('tools', toolsProxy(parse(toolsJson)))
  }

  function start(snippet: () => unknown, isExpression: boolean): void {
    void finish(snippet, isExpression)
  }

  function startModule(loading: Promise<unknown>, namesJson: string, argsJson: string): void {
    void finishModule(loading, namesJson, argsJson)
  }

  async function finishModule(loading: Promise<unknown>, namesJson: string, argsJson: string): Promise<void> {
    try {
      const exported = (await loading) as { readonly [name: string]: unknown }
      if (argsJson === '') return void bridge('returned', toJson(exportsOf(exported, parse(namesJson))))
      const main = exported['default']
      if (typeof main !== 'function') throw new TypeErrorHere('The default export is not a function.')
      bridge('returned', toJson(await apply(main, undefined, [parse(argsJson)])))
    } catch (error) {
      fail(error)
    }
  }

  function exportsOf(exported: { readonly [name: string]: unknown }, names: readonly string[]): unknown {
    const types = create(null) as { [name: string]: unknown }
    const values = create(null) as { [name: string]: unknown }
    for (let index = 0; index < names.length; index++) {
      const name = names[index] ?? ''
      const value = exported[name]
      if (value === undefined) continue
      types[name] = typeof value
      values[name] = value
    }
    return { types, values }
  }

  async function finish(snippet: () => unknown, isExpression: boolean): Promise<void> {
    try {
      const value = await snippet()
      // A snippet that is nothing but a function is meant to be called.
      bridge('returned', toJson(isExpression && typeof value === 'function' ? await value() : value))
    } catch (error) {
      fail(error)
    }
  }

  function toJson(value: unknown): string {
    try {
      return stringify(value) ?? 'null'
    } catch (error) {
      if (error instanceof EngineError) throw error
      throw new TypeErrorHere(`The returned value cannot be written as JSON: ${show(error)}`)
    }
  }

  function fail(thrown: unknown): void {
    let name = 'Error'
    let message = 'The thrown value cannot be described.'
    let stack = ''
    try {
      const isObject = typeof thrown === 'object' && thrown !== null
      const given: { name?: unknown; message?: unknown; stack?: unknown } = isObject ? thrown : {}
      name = textOr(given.name, name, 200)
      stack = textOr(given.stack, stack, 10_000)
      message = textOr(given.message, show(thrown), 10_000)
    } catch {
      // A getter of the thrown value threw: what is known by then has to do.
    }
    bridge('threw', name, message, stack)
  }

  function textOr(value: unknown, other: string, length: number): string {
    return apply(textSlice, typeof value === 'string' ? value : other, [0, length])
  }

  function show(value: unknown): string {
    if (typeof value === 'string') return value
    try {
      if (value instanceof ErrorHere) return `${TextOf(value.name)}: ${TextOf(value.message)}`
      return typeof value === 'function' ? TextOf(value) : (stringify(value) ?? TextOf(value))
    } catch {
      // Circular objects, big integers and objects without a prototype have no JSON.
      return typeof value === 'object' ? '[object]' : TextOf(value)
    }
  }

  // The error is made here and not when the answer comes: only now the stack holds the line of the snippet.
  function errand(build: (id: number) => Posting): Promise<unknown> {
    return new PromiseHere((resolve, reject) => {
      const posting = build(++lastId)
      set(waiting, posting.id, { resolve, reject, error: new ErrorHere() })
      post(posting)
    })
  }

  function post(posting: Posting): void {
    const answer = bridge(posting.kind, posting.id, posting.name, posting.tool, posting.json, posting.raw)
    if (answer === answers.later) set(queue, ++lastQueued, posting)
    if (answer === answers.tooLarge)
      settleError(posting.id, 'RangeError', 'The arguments are larger than one call may send.', '')
    if (answer === answers.tooDeep) settleError(posting.id, 'RangeError', 'The arguments nest too deeply.', '')
  }

  function postNext(): void {
    const posting = get(queue, firstQueued)
    if (posting === undefined) return
    remove(queue, firstQueued++)
    post(posting)
  }

  function settleValue(id: number, json: string): void {
    const entry = get(waiting, id)
    remove(waiting, id)
    postNext()
    if (entry === undefined) return
    try {
      entry.resolve(parse(json))
    } catch (error) {
      entry.reject(error)
    }
  }

  function settleError(id: number, name: string, message: string, code: string): void {
    const entry = get(waiting, id)
    remove(waiting, id)
    postNext()
    if (entry === undefined) return
    const { error } = entry
    defineProperty(error, 'name', descriptor(name))
    defineProperty(error, 'message', descriptor(message))
    if (code !== '') defineProperty(error, 'code', descriptor(code))
    entry.reject(error)
  }

  function toolsProxy(servers: { readonly [server: string]: readonly string[] }): unknown {
    const serverNames: string[] = []
    for (const server in servers) serverNames[serverNames.length] = server
    return directory(serverNames, (server) => directory(servers[server] ?? [], (tool) => toolFunction(server, tool)))
  }

  function toolFunction(server: string, tool: string): unknown {
    const caller =
      (raw: number) =>
      (...args: readonly unknown[]): Promise<unknown> =>
        errand((id) => {
          const json = objectJson(args[0], args.length > 1, `tools[${stringify(server)}][${stringify(tool)}]`)
          return { kind: 'call', id, name: server, tool, json, raw }
        })
    const plain = caller(0)
    defineProperty(plain, 'name', descriptor(tool))
    defineProperty(plain, 'raw', descriptor(freeze(caller(1))))
    return freeze(plain)
  }

  function objectJson(value: unknown, isTooMany: boolean, name: string): string {
    if (value === undefined && !isTooMany) return '{}'
    const isObject = typeof value === 'object' && value !== null && !isArray(value)
    const json = isObject && !isTooMany ? stringify(value) : undefined
    if (json === undefined)
      throw new TypeErrorHere(`${name} takes one object of named arguments, such as ({ key: 1 }).`)
    return json
  }

  // A name that is not there opens too: the host then knows the closest names. But the language itself looks for
  // some names on every object, and `await` would call a `then`.
  function directory(names: readonly string[], open: (name: string) => unknown): unknown {
    const known = new MapHere<Key, boolean>()
    const opened = new MapHere<Key, unknown>()
    const unique: string[] = []
    for (let index = 0; index < names.length; index++) {
      const name = names[index] ?? ''
      if (!has(known, name)) unique[unique.length] = name
      set(known, name, true)
    }

    function entry(key: Key): unknown {
      if (typeof key !== 'string' || (!has(known, key) && isAskedByTheLanguage(key))) return undefined
      if (!has(opened, key)) set(opened, key, open(key))
      return get(opened, key)
    }
    const handler: ProxyHandler<object> = create(null)
    handler.get = (_target, key) => entry(key)
    handler.has = (_target, key) => has(known, key)
    handler.ownKeys = () => unique
    handler.getOwnPropertyDescriptor = (_target, key) => (has(known, key) ? descriptor(entry(key)) : undefined)
    handler.set = handler.defineProperty = handler.deleteProperty = () => false
    handler.preventExtensions = handler.setPrototypeOf = () => false
    return new ProxyHere(create(null), handler)
  }

  function isAskedByTheLanguage(key: string): boolean {
    return key === 'then' || key === 'toJSON' || key === 'toString' || key === 'valueOf' || key === 'constructor'
  }

  function fire(timer: number): void {
    const entry = get(timers, timer)
    remove(timers, timer)
    if (entry !== undefined) runCallback(entry.callback, entry.args)
  }

  // Nobody awaits a callback, so what it throws ends the run.
  function runCallback(callback: unknown, args: readonly unknown[]): void {
    try {
      if (typeof callback === 'function') apply(callback, undefined, args)
    } catch (error) {
      fail(error)
    }
  }

  async function runSoon(callback: unknown): Promise<void> {
    await settled
    runCallback(callback, [])
  }

  function needFunction(callback: unknown, name: string): void {
    if (typeof callback !== 'function') throw new TypeErrorHere(`${name} takes a function.`)
  }

  function define(name: string, value: unknown): void {
    defineProperty(globalThis, name, descriptor(value))
  }

  function logger(level: string): (...values: readonly unknown[]) => void {
    return (...values) => {
      let text = ''
      for (let index = 0; index < values.length; index++) text += (index === 0 ? '' : ' ') + show(values[index])
      bridge('log', level, text)
    }
  }

  define('console', {
    log: logger('log'),
    info: logger('info'),
    warn: logger('warn'),
    error: logger('error'),
    debug: logger('debug'),
  })
  define('search', (query: unknown, filter?: unknown) =>
    errand((id) => {
      if (typeof query !== 'string') throw new TypeErrorHere('search takes a text, such as search("create issue").')
      return { kind: 'search', id, name: query, tool: '', json: objectJson(filter, false, 'search'), raw: 0 }
    }),
  )
  define('inspect', (name: unknown) =>
    errand((id) => {
      if (typeof name !== 'string') throw new TypeErrorHere('inspect takes a name, such as inspect("server.tool").')
      return { kind: 'inspect', id, name, tool: '', json: '{}', raw: 0 }
    }),
  )
  define('setTimeout', (callback: unknown, delay?: unknown, ...args: readonly unknown[]) => {
    needFunction(callback, 'setTimeout')
    const ms = typeof delay === 'number' && delay >= 1 ? delay : 0
    if (bridge('timer', ++lastTimer, ms) === answers.tooMany) throw new RangeErrorHere('Too many timers are waiting.')
    set(timers, lastTimer, { callback, args })
    return lastTimer
  })
  define('clearTimeout', (timer: unknown) => {
    if (typeof timer === 'number' && remove(timers, timer)) bridge('clear', timer)
  })
  // The engine's own one would report what a callback throws as a failure of the engine.
  define('queueMicrotask', (callback: unknown) => {
    needFunction(callback, 'queueMicrotask')
    void runSoon(callback)
  })
  // It would be handed the functions on the stack, and those in here are not for the snippet.
  defineProperty(ErrorHere, 'prepareStackTrace', { value: undefined, writable: false, configurable: false })

  return { open, start, startModule, settleValue, settleError, fire }
}
