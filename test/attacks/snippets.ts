import type { JsonValue } from '../../src/hub/api.ts'
import type { LimitName } from '../../src/sandbox/api.ts'

/** A snippet that tries to do harm, and the only ways in which it may end. */
export interface Attack {
  readonly name: string
  readonly code: string
  readonly ends: readonly Ending[]
}

export type Ending =
  | { readonly kind: 'returned'; readonly value: JsonValue }
  | { readonly kind: 'threw'; readonly name?: string }
  | { readonly kind: 'limit'; readonly limit: LimitName }
  | { readonly kind: 'deadlock' }

const threw: Ending = { kind: 'threw' }
const deadlock: Ending = { kind: 'deadlock' }
const returns = (value: JsonValue): Ending => ({ kind: 'returned', value })
const throwsA = (name: string): Ending => ({ kind: 'threw', name })
const [time, memory, calls, log, result]: readonly Ending[] = (
  ['time', 'memory', 'calls', 'log', 'result'] as const
).map((limit) => ({ kind: 'limit', limit }))

function attack(name: string, code: string, ...ends: readonly (Ending | undefined)[]): Attack {
  return { name, code, ends: ends.filter((end) => end !== undefined) }
}

export const escapes: readonly Attack[] = [
  attack(
    'finds nothing of Node, a browser or another runtime among the globals',
    `['process', 'require', 'module', 'exports', '__dirname', 'Buffer', 'global', 'fetch', 'XMLHttpRequest', 'WebSocket',
      'WebAssembly', 'Atomics', 'Worker', 'postMessage', 'onmessage', 'parentPort', 'navigator', 'window', 'self', 'Deno',
      'Bun', 'std', 'os', 'print', 'load', 'loadScript', 'scriptArgs', 'setInterval', 'setImmediate', 'gc', 'bridge',
      'WeakRef', 'FinalizationRegistry'].filter((name) => typeof globalThis[name] !== 'undefined')`,
    returns([]),
  ),
  attack(
    'climbs from a tool to the constructor of functions',
    `tools.test.echo.constructor('return typeof process + typeof require')()`,
    returns('undefinedundefined'),
  ),
  attack(
    'climbs from the tools to a prototype',
    `[tools.constructor, tools.test.constructor, Object.getPrototypeOf(tools), tools.toString].filter((x) => x != null).length`,
    returns(0),
  ),
  attack(
    'climbs through the constructors of async functions and generators',
    `const kinds = [async () => 1, function* () {}, async function* () {}]
     return kinds.map((f) => { try { return typeof f.constructor('return typeof process') } catch { return 'refused' } }).join()`,
    returns('function,function,function'),
  ),
  ...['node:fs', 'fs', 'file:///etc/passwd', 'data:text/javascript,1', 'https://example.com/x.js', './worker.ts'].map(
    (module) =>
      attack(`imports ${module} while it runs`, `import(${JSON.stringify(module)})`, throwsA('ReferenceError')),
  ),
  attack('imports statically', `import fs from 'node:fs'\nreturn fs`, throwsA('SyntaxError')),
  attack('reads where it was loaded from', `import.meta.url`, throwsA('SyntaxError')),
  attack('breaks out of the function around it', `}); globalThis.out = 1; (async () => {`, throwsA('SyntaxError')),
  attack('breaks out of the expression around it', `1), globalThis.out = 1, (2`, throwsA('SyntaxError')),
  attack(
    'takes the functions on the stack through prepareStackTrace',
    `let sites = 'none'
     try { Error.prepareStackTrace = (_e, s) => { sites = s } } catch {}
     Object.defineProperty(Object.prototype, 'prepareStackTrace', { value: (_e, s) => { sites = s } })
     await tools.test.echo({ toJSON() { new Error('x').stack; return {} } })
     return sites`,
    returns('none'),
  ),
  attack(
    'takes its caller from the function that turns its arguments into JSON',
    `let caller = 'none'
     await tools.test.echo({ toJSON: function f() { try { caller = typeof f.caller } catch { caller = 'refused' } return {} } })
     return caller === 'function' ? 'caller' : 'nothing'`,
    returns('nothing'),
  ),
  attack(
    'catches the inner functions with traps on built-ins that they may use',
    `const { apply } = Reflect
     const { getOwnPropertyDescriptor, getOwnPropertyNames } = Object
     let caught = 0
     const targets = [Map.prototype, Promise.prototype, Array.prototype, String.prototype, Function.prototype, JSON, Reflect, Object]
     for (const target of targets)
       for (const key of getOwnPropertyNames(target)) {
         const { value, configurable } = getOwnPropertyDescriptor(target, key)
         if (typeof value !== 'function' || !configurable || key === 'constructor') continue
         target[key] = function (...args) {
           for (let i = 0; i < args.length; i++) if (typeof args[i] === 'function' && args[i].name === 'bridge') caught++
           if (typeof this === 'function' && this.name === 'bridge') caught++
           return apply(value, this, args)
         }
       }
     const { a } = await tools.test.echo({ a: 'called' })
     return [a, caught]`,
    returns(['called', 0]),
  ),
  attack(
    'forges an answer by a result that is a promise of its own',
    `return { then(resolve) { resolve({ then(again) { again('forged') } }) } }`,
    returns('forged'),
  ),
  attack(
    'hijacks the species of promises to get at the end of its own run',
    `let got = 0
     Object.defineProperty(Promise, Symbol.species, { get() { got++; return function (executor) { executor(() => {}, () => {}) } } })
     await tools.test.echo({})
     return 'ended'`,
    returns('ended'),
  ),
  attack('calls a tool that it was not given', `tools.secret.read({})`, throwsA('CallError')),
  attack(
    'calls a tool by names that only a prototype has',
    `tools.__proto__.constructor({})`,
    throwsA('CallError'),
    throwsA('TypeError'),
  ),
]

export const pollutions: readonly Attack[] = [
  attack(
    'changes the prototypes that the host also has',
    `Object.prototype.polluted = Array.prototype.polluted = Function.prototype.polluted = 1; return ({}).polluted`,
    returns(1),
  ),
  attack(
    'sends __proto__ to a tool',
    `tools.test.echo(JSON.parse('{"__proto__":{"polluted":1}}')).then(() => 1)`,
    returns(1),
  ),
  attack(
    'returns __proto__',
    `JSON.parse('{"__proto__":{"polluted":1}}')`,
    returns(JSON.parse('{"__proto__":{"polluted":1}}')),
  ),
  attack(
    'replaces the tools for itself only',
    `try { tools.test = 1 } catch {}
     try { Object.defineProperty(tools.test, 'echo', { value: 1 }) } catch {}
     try { delete tools.test } catch {}
     try { tools.test.echo.raw = 1 } catch {}
     try { Object.setPrototypeOf(tools, {}) } catch {}
     return [typeof tools.test.echo, typeof tools.test.echo.raw, (await tools.test.echo({ a: 1 })).a]`,
    returns(['function', 'function', 1]),
  ),
  attack(
    'throws something that cannot be described',
    `throw new Proxy({}, { get() { throw 1 }, has() { throw 2 }, getPrototypeOf() { throw 3 } })`,
    threw,
  ),
  attack('throws a revoked proxy', `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy`, threw),
  attack('throws nothing', `throw undefined`, threw),
  attack('throws a symbol', `throw Symbol('x')`, threw),
  attack(
    'logs what cannot be shown',
    `console.log(Object.create(null), new Proxy({}, { get() { throw 1 } }), { toJSON() { throw 1 } }, Symbol('s')); return 1`,
    returns(1),
  ),
  attack(
    'lies about the place of its error',
    `const e = new Error('x'); e.stack = '    at root (/etc/passwd:1:1)\\n    at exec:999999:1\\n'; e.name = { toString() { return 'Bad' } }; throw e`,
    threw,
  ),
]

export const denials: readonly Attack[] = [
  attack('computes for ever', `for (;;) {}`, time),
  attack('awaits for ever without waiting', `while (true) await null`, time),
  attack(
    'fills the queue of microtasks',
    `const again = () => queueMicrotask(again); again(); await new Promise(() => {})`,
    time,
  ),
  attack(
    'doubles its promises',
    `const twice = async () => { await null; twice(); twice() }; await twice(); await new Promise(() => {})`,
    memory,
    time,
  ),
  attack('sets timers for ever', `const again = () => setTimeout(again); again(); await new Promise(() => {})`, time),
  attack('sets a million timers', `for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1e9)`, throwsA('RangeError')),
  attack('waits in a regular expression', `/^(\\w+\\s?)*$/.test('aaaa '.repeat(30) + '!')`, time, returns(false)),
  attack('waits in a big integer', `(7n ** 9999999n).toString().length`, time, memory, threw),
  attack('waits in a comparison', `[3, 2, 1].sort(() => { for (;;) {} })`, time),
  attack('waits in a getter of what it throws', `throw { get message() { for (;;) {} } }`, time),
  attack('waits in toJSON of what it returns', `return { toJSON() { for (;;) {} } }`, time),
  attack('collects objects', `const all = []; for (;;) all.push({ a: [1] })`, memory),
  attack('doubles a text', `let s = 'x'; for (;;) s += s`, memory, threw),
  attack('collects texts', `const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)`, memory),
  attack('allocates one large buffer', `new ArrayBuffer(2 ** 30).byteLength`, memory, threw),
  attack('collects buffers', `const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1))`, memory),
  attack('collects shared buffers', `const all = []; for (;;) all.push(new SharedArrayBuffer(1e6))`, memory, threw),
  attack('fills a map', `const all = new Map(); for (let i = 0; ; i++) all.set(i, i)`, memory, threw),
  attack('makes an endless list', `[...(function* () { for (;;) yield 1 })()]`, memory),
  attack('joins a huge empty list', `new Array(2 ** 32 - 1).join('x')`, memory, time, threw),
  attack(
    'goes on after every failed allocation',
    `for (;;) try { const all = []; for (;;) all.push(new Array(1000)) } catch {}`,
    time,
    memory,
  ),
  attack(
    'holds all memory while it throws',
    `globalThis.all = []; try { for (;;) all.push([]) } catch (e) { throw e }`,
    memory,
  ),
  attack('recurses', `const f = () => f() + 1; f()`, throwsA('RangeError')),
  attack('recurses through a proxy', `const p = new Proxy({}, { get: (_, k, r) => r[k] }); p.x`, threw),
  attack('recurses through JSON', `const o = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o)`, threw),
  attack('nests JSON too deeply', `JSON.parse('['.repeat(1e6))`, threw, memory),
  attack('nests its source too deeply', `eval('('.repeat(5e5))`, threw, memory),
  attack('evaluates a huge source', `eval('1+'.repeat(3e6) + '1')`, threw, memory, time, returns(3e6 + 1)),
  attack('floods the log', `for (;;) console.log('x'.repeat(100))`, log),
  attack('floods the log with nothing', `for (;;) console.log()`, log),
  attack('logs one huge line', `console.log('x'.repeat(2e7))`, log),
  attack('calls without end', `for (;;) await tools.test.echo({})`, calls),
  attack('calls without waiting', `for (;;) tools.test.echo({})`, calls),
  attack(
    'sends huge arguments again and again',
    `const a = 'x'.repeat(7e6); for (;;) tools.test.echo({ a }).catch(() => {})`,
    memory,
    calls,
    time,
  ),
  attack('returns too much', `'x'.repeat(2e7)`, result),
  attack('throws too much', `throw new Error('x'.repeat(2e7))`, threw),
  attack(
    'waits for itself',
    `const p = (async () => { await null; return p })(); return await p`,
    deadlock,
    throwsA('TypeError'),
  ),
  attack('waits for nothing', `await new Promise(() => {})`, deadlock),
]

export const questions: readonly Attack[] = [
  attack(
    'asks every error for a path',
    `const texts = []
     for (const act of [() => null.x, () => tools.test.echo(1), () => tools.no.no(), () => import('fs'), () => JSON.parse('{'),
       () => search(1), () => new Function('(')(), () => tools.test.fails()])
       try { await act() } catch (e) { texts.push(e.stack, String(e), ...Object.getOwnPropertyNames(e).map((k) => String(e[k]))) }
     return /[\\\\/]|node|worker|\\.ts|\\.js/.test(texts.join()) ? texts.join() : 'clean'`,
    returns('clean'),
  ),
  attack('asks for the time zone', `[new Date(0).getTimezoneOffset(), new Date(0).getHours()]`, returns([0, 0])),
  attack(
    'asks for the source of what is built in',
    `/bridge|waiting/.test([setTimeout, console.log, search, tools.test.echo].map(String).join()) && typeof bridge`,
    returns('undefined'),
    returns(false),
  ),
  attack('asks for arguments of the thread', `typeof scriptArgs + typeof arguments`, returns('undefinedundefined')),
]
