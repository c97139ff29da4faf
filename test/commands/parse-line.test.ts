import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Declared, ParsedLine } from '../../src/commands/grammar.ts'
import { parseLine } from '../../src/commands/parse-line.ts'
import { printLine, writeName } from '../../src/commands/print-line.ts'

const none: Declared = { slots: [] }
const one: Declared = { slots: [{ name: 'topic', required: true }] }
const three: Declared = { slots: [{ name: 'title' }, { name: 'file' }, { name: 'note' }] }

function parse(line: string, declared: Declared = three): ParsedLine {
  return parseLine(line, () => declared)
}

function given(line: string, declared: Declared = three): Record<string, string> {
  return Object.fromEntries([...parse(line, declared).values].map(([name, values]) => [name, values.join('|')]))
}

describe('arguments', () => {
  test.each<[line: string, expected: Record<string, string>]>([
    ['/s:p', {}],
    ['/s:p title=x', { title: 'x' }],
    ['/s:p --title=x', { title: 'x' }],
    ['/s:p file=b title=a', { title: 'a', file: 'b' }],
    ['/s:p title="two words" file=b', { title: 'two words', file: 'b' }],
    [`/s:p title='two words'`, { title: 'two words' }],
    [String.raw`/s:p title=two\ words`, { title: 'two words' }],
    [String.raw`/s:p title="say \"hi\""`, { title: 'say "hi"' }],
    [String.raw`/s:p title='it\'s'`, { title: "it's" }],
    [String.raw`/s:p title="C:\temp"`, { title: String.raw`C:\temp` }],
    [String.raw`/s:p title=C:\temp\x`, { title: String.raw`C:\temp\x` }],
    [`/s:p title=don't file=b`, { title: "don't", file: 'b' }],
    ['/s:p title="a\nb"', { title: 'a\nb' }],
    ['/s:p title=123 file=true', { title: '123', file: 'true' }],
    ['/s:p title=a=b', { title: 'a=b' }],
    ['/s:p title=""', { title: '' }],
    ['/s:p title=', {}],
    // Words go to the arguments in their declared order; the last takes the rest.
    ['/s:p a b', { title: 'a', file: 'b' }],
    ['/s:p a b c d  e', { title: 'a', file: 'b', note: 'c d  e' }],
    ['/s:p a b it was "quoted" here', { title: 'a', file: 'b', note: 'it was "quoted" here' }],
    ['/s:p a b "c d"', { title: 'a', file: 'b', note: 'c d' }],
    ['/s:p a b first line\nsecond line', { title: 'a', file: 'b', note: 'first line\nsecond line' }],
    ['/s:p "a x" b', { title: 'a x', file: 'b' }],
    ['/s:p file=b a the rest of it', { file: 'b', title: 'a', note: 'the rest of it' }],
    ['/s:p a the rest file=b', { title: 'a', note: 'the rest', file: 'b' }],
    // A key that nobody declared is text.
    ['/s:p a b x=1 y=2', { title: 'a', file: 'b', note: 'x=1 y=2' }],
    ['/s:p "title=x"', { title: 'title=x' }],
    // When no argument is open, words go on with the value before them.
    ['/s:p title=Ada Lovelace file=b note=c d', { title: 'Ada Lovelace', file: 'b', note: 'c d' }],
  ])('%j gives %j', (line, expected) => {
    expect(given(line)).toEqual(expected)
    expect(parse(line).problems.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test.each<[line: string, topic: string]>([
    ['/s:p Ada Lovelace', 'Ada Lovelace'],
    ['/s:p  what is "this" and why=so?  ', 'what is "this" and why=so?'],
    [`/s:p 'tis the season`, `'tis the season`],
    [String.raw`/s:p C:\ and D:\ x`, String.raw`C:\ and D:\ x`],
    ['/s:p one\n  two\n', 'one\n  two'],
    ['/s:p "Ada Lovelace"', 'Ada Lovelace'],
    ['/s:p topic=Ada Lovelace', 'Ada Lovelace'],
    ['/s:p --topic="Ada Lovelace"', 'Ada Lovelace'],
    ['/s:p --args are what I ask about', '--args are what I ask about'],
  ])('the only argument takes all of the rest of %j', (line, topic) => {
    expect(given(line, one)).toEqual({ topic })
    expect(parse(line, one).problems).toEqual([])
  })

  test.each([
    '/s:p --args {"title":"a } b"} file=c',
    `/s:p --args='{"title":"a } b"}' c`,
    '/s:p c --args {"title":"a } b"}',
  ])('%j gives the object of --args beside the others', (line) => {
    const { json, values, problems } = parse(line)

    expect(json).toEqual({ title: 'a } b' })
    expect([...values.values()]).toEqual([['c']])
    expect(problems).toEqual([])
  })

  test('names with blanks and signs in them can be typed as they are', () => {
    const declared: Declared = { slots: [{ name: 'my name' }, { name: 'a=b' }] }

    expect(given('/s:p my name=Ada a=b=2', declared)).toEqual({ 'my name': 'Ada', 'a=b': '2' })
  })

  test('a key may repeat where that makes a list', () => {
    const declared: Declared = { slots: [{ name: 'tag', isRepeatable: true }, { name: 'x' }] }

    expect(parse('/call tag=a tag=b', declared).values.get('tag')).toEqual(['a', 'b'])
    expect(parse('/call tag=a tag=b', declared).problems).toEqual([])
  })
})

describe('problems', () => {
  test.each<[line: string, declared: Declared, at: string, message: RegExp]>([
    ['/s:p title="never closed', three, '"never closed', /never closed/],
    ['/s:p "never closed', three, '"never closed', /never closed/],
    ['/s:p title=a title=b', three, 'title=b', /twice/],
    ['/s:p --args {"a":1} --args {}', three, '--args {}', /twice/],
    ['/s:p --args {"a":', three, '{"a":', /one JSON object/],
    ['/s:p --args', three, '--args', /one JSON object/],
    ['/s:p something', none, 'something', /no arguments/],
    ['/s:p title="a" file="b" note="c" d e', three, 'd e', /left for "d e"/],
  ])('of %j are errors with their place', (line, declared, at, message) => {
    const [problem] = parse(line, declared).problems

    expect(problem?.severity).toBe('error')
    expect(line.slice(problem?.start, problem?.end)).toBe(at)
    expect(problem?.message).toMatch(message)
  })

  test.each([
    ['/s:p titel=x', 'title='],
    ['/s:p title=fix the bug', 'put quotes around'],
  ])('of %j are warnings: it can be run as it is', (line, part) => {
    const { problems } = parse(line)

    expect(problems.map(({ severity }) => severity)).toEqual(['warning'])
    expect(problems[0]?.message).toContain(part)
  })
})

describe('what is a command', () => {
  test.each(['hello', 'see /help', '// a comment', '/* code */', '/ 2', '', '   '])('%j is text', (line) => {
    expect(parse(line).kind).toBe('text')
  })

  test('a path at the start of a sentence is text unless it is a name', () => {
    expect(parseLine('/etc/hosts is wrong', () => undefined).kind).toBe('text')
    expect(parseLine('/server/prompt x', () => none).kind).toBe('command')
    expect(parseLine('/nosuch x', () => undefined)).toMatchObject({ kind: 'command', isKnown: false, name: 'nosuch' })
  })

  test('a name may have blanks, with a backslash before each', () => {
    expect(parse(String.raw`  /s:my\ prompt x`)).toMatchObject({ name: 's:my prompt' })
  })

  test('the first word decides what else is taken', () => {
    const words: string[] = []
    parseLine('/servers restart "the one"', (name, first) => {
      words.push(name, first)
      return none
    })

    expect(words).toEqual(['servers', 'restart'])
  })
})

describe('for every text', () => {
  const name = fc.oneof(
    fc.constantFrom('a', 'b c', '--x', 'x', 'a=b', '"q', 'args', '__proto__'),
    fc.string({ minLength: 1, unit: 'binary' }),
  )
  const declared = fc.record({
    slots: fc.uniqueArray(
      fc.record({ name, isRepeatable: fc.boolean(), takesRest: fc.boolean() }, { requiredKeys: ['name'] }),
      { selector: (slot) => slot.name, maxLength: 4 },
    ),
    takesAnyKey: fc.boolean(),
  })
  const noise = fc
    .array(
      fc.constantFrom('/', 'a', 'b c', '=', '--', '--args', '{', '}', '"', "'", '\\', ' ', '\n', '@', 'x=', 'é', '😀'),
    )
    .map((parts) => parts.join(''))
  const line = fc.oneof(
    noise,
    fc.string({ unit: 'binary' }),
    noise.map((text) => `/n ${text}`),
  )

  test('the tokens cover it without gap or overlap', () => {
    fc.assert(
      fc.property(line, declared, (text, taken) => {
        const { tokens } = parse(text, taken)
        let at = 0
        for (const token of tokens) {
          expect(token.start).toBe(at)
          expect(token.end).toBeGreaterThan(token.start)
          at = token.end
        }
        expect(at).toBe(text.length)
        for (const { kind, start, end } of tokens) {
          if (kind === 'blank') expect(text.slice(start, end).trim()).toBe('')
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('a name that is written is read back', () => {
    // A backslash at the end of a name would escape the blank behind it; no server has such a prompt.
    const anyName = fc.string({ unit: 'binary' }).filter((text) => !text.endsWith('\\'))
    fc.assert(
      fc.property(anyName, (text) => {
        expect(parse(`${writeName(`s:${text}`)} x`).name).toBe(`s:${text}`)
      }),
    )
  })

  test('a printed command means what it was printed from', () => {
    const distinct = fc.uniqueArray(name, { maxLength: 4 })
    fc.assert(
      fc.property(distinct, fc.func(fc.oneof(noise, fc.string({ unit: 'binary' }))), (names, valueOf) => {
        const values = Object.fromEntries(names.map((key) => [key, valueOf(key)]))
        const taken = { slots: names.map((key) => ({ name: key })) }

        const parsed = parse(printLine('s:my p', values, taken), taken)

        const back = { ...parsed.json, ...Object.fromEntries([...parsed.values].map(([key, [value]]) => [key, value])) }
        expect(parsed.name).toBe('s:my p')
        expect(parsed.problems.filter(({ severity }) => severity === 'error')).toEqual([])
        expect(back).toEqual(values)
      }),
      { numRuns: 2000 },
    )
  })
})
