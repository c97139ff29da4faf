import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { xmlScanner, type XmlEvent } from '../../../src/agent/xml/scanner.ts'

const tools = new Set(['fs__write', 'fs__list', 'ping'])

describe('the scanner', () => {
  test.each<[string, string, readonly XmlEvent[]]>([
    ['text without calls as it is', 'a < b, <b>bold</b>', [said('a < b, <b>bold</b>')]],
    [
      'a call with its parameters',
      '<fs__list>\n<path>/tmp</path>\n</fs__list>',
      [begins('fs__list'), called('fs__list', ['path', '/tmp'])],
    ],
    [
      'several calls and the text around them',
      'First <ping></ping> then <fs__list><path>a</path></fs__list>.',
      [
        said('First '),
        begins('ping'),
        called('ping'),
        said(' then '),
        begins('fs__list'),
        called('fs__list', ['path', 'a']),
        said('.'),
      ],
    ],
    ['an empty element', '<ping/><ping />', [begins('ping'), called('ping'), begins('ping'), called('ping')]],
    ['an empty parameter', '<fs__list><path/></fs__list>', [begins('fs__list'), called('fs__list', ['path', ''])]],
    [
      'entities',
      '<ping><a>&lt;b&gt; &amp;amp; &#65;&#x42; &nbsp;</a></ping>',
      [begins('ping'), called('ping', ['a', '<b> &amp; AB &nbsp;'])],
    ],
    [
      'CDATA with tags of its own inside',
      '<ping><a>x<![CDATA[</a></ping>&lt;]]>y</a></ping>',
      [begins('ping'), called('ping', ['a', 'x</a></ping>&lt;y'])],
    ],
    [
      'a value that holds its own element',
      '<ping><a><a>in</a></a><b>2</b></ping>',
      [begins('ping'), called('ping', ['a', '<a>in</a>'], ['b', '2'])],
    ],
    [
      'a value that holds a whole call',
      '<ping><a><ping><a>1</a></ping></a></ping>',
      [begins('ping'), called('ping', ['a', '<ping><a>1</a></ping>'])],
    ],
    [
      'a value that mentions its closing tag',
      '<ping><a>the </a> tag</a></ping>',
      [begins('ping'), called('ping', ['a', 'the </a> tag'])],
    ],
    [
      'a value that mentions its opening tag',
      '<ping><a>the <a> tag</a></ping> end',
      [begins('ping'), called('ping', ['a', 'the <a> tag']), said(' end')],
    ],
    [
      'arguments written as JSON',
      '<ping>{"a": 1, "b": "x"}</ping>',
      [begins('ping'), called('ping', ['a', '1'], ['b', 'x'])],
    ],
    [
      'nothing in a code block',
      '```xml\n<ping></ping>\n```\n<ping/>',
      [said('```xml\n<ping></ping>\n```\n'), begins('ping'), called('ping')],
    ],
    ['nothing in a block of tildes that holds ticks', '~~~\n```\n<ping/>\n~~~\n', [said('~~~\n```\n<ping/>\n~~~\n')]],
    ['nothing in a code block that never ends', '```\n<ping/>', [said('```\n<ping/>')]],
    [
      'nothing in code within a line',
      'Write `<ping/>` or ``<ping/> ` ``.',
      [said('Write `<ping/>` or ``<ping/> ` ``.')],
    ],
    ['a call on the line after a lone tick', 'it`s\n<ping/>', [said('it`s\n'), begins('ping'), called('ping')]],
    [
      'ticks in a line that are no block',
      '```not a block``` <ping/>',
      [said('```not a block``` '), begins('ping'), called('ping')],
    ],
    ['no elements that are no tools', '<pingpong/><Ping/></ping>', [said('<pingpong/><Ping/></ping>')]],
    [
      'stray text as a fault',
      '<ping>hello</ping>.',
      [
        begins('ping'),
        fault(
          'ping',
          '<ping>hello</ping>',
          '"hello" stands outside of a parameter; write each one as <name>value</name>',
        ),
        said('.'),
      ],
    ],
    [
      'attributes as a fault',
      '<ping a="1"></ping>',
      [
        begins('ping'),
        fault(
          'ping',
          '<ping a="1"></ping>',
          'attributes (a="1") are not read; write each parameter as <name>value</name>',
        ),
      ],
    ],
    [
      'a call that never ends as a fault',
      '<ping><a>1</a>',
      [begins('ping'), fault('ping', '<ping><a>1</a>', '</ping> is missing')],
    ],
    ['what a tag may yet become when nothing comes', 'a <pin', [said('a <pin')]],
    [
      'no results that the model invents',
      '<ping/><tool_result tool="ping">ok</tool_result> Done.',
      [begins('ping'), called('ping'), { kind: 'invented_result' }],
    ],
  ])('finds %s', (_, text, events) => {
    expect(scan([text])).toEqual(events)
  })

  test('gives the same events in whatever pieces a text comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces), { maxLength: 30 }),
        fc.array(fc.nat(9), { maxLength: 60 }),
        (words, cuts) => {
          const text = words.join('')

          expect(scan(cutText(text, cuts))).toEqual(scan([text]))
          expect(scan(Array.from(text))).toEqual(scan([text]))
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('passes a text through unchanged where no tool is named', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', '~', '<', '>', '\n', ' ', 'a', '/') }), (text) => {
        expect(
          scan(Array.from(text))
            .map((event) => (event.kind === 'text' ? event.text : ''))
            .join(''),
        ).toBe(text)
      }),
    )
  })

  test('passes text on at once', () => {
    const scanner = xmlScanner(tools)

    expect(scanner.push('Hello')).toEqual([said('Hello')])
    expect(scanner.push(' you <')).toEqual([said(' you ')])
    expect(scanner.push('3')).toEqual([said('<3')])
  })

  test('reads a call of a megabyte in small pieces within seconds', () => {
    const value = 'if (a < b) { return "</a>" }\n'.repeat(36_000)
    const text = `<fs__write><text><![CDATA[${value}]]></text></fs__write>`

    const events = scan(text.match(/.{1,50}/gs) ?? [])

    expect(events.at(-1)).toEqual(called('fs__write', ['text', value]))
  }, 10_000)
})

const pieces =
  '<ping>|</ping>|<ping/>|<fs__list>|</fs__list>|<a>|</a>|<a/>|<b>|</b>|<ping x>|```|``|`|~~~|\n|\n```\n|   |text|<|>|/|&lt;|<![CDATA[|]]>|{"a":1}|<tool_result>'.split(
    '|',
  )

function scan(chunks: readonly string[]): readonly XmlEvent[] {
  const scanner = xmlScanner(tools)
  return joinText([...chunks.flatMap((chunk) => scanner.push(chunk)), ...scanner.finish()])
}

/** Neighbouring pieces of text as one: how text is cut is nobody's business. */
function joinText(events: readonly XmlEvent[]): readonly XmlEvent[] {
  const joined: XmlEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    if (event.kind === 'text' && last?.kind === 'text') joined.splice(-1, 1, said(last.text + event.text))
    else joined.push(event)
  }
  return joined
}

function cutText(text: string, cuts: readonly number[]): readonly string[] {
  const chunks: string[] = []
  let at = 0
  for (const length of cuts) {
    chunks.push(text.slice(at, at + length))
    at += length
  }
  return [...chunks, text.slice(at)]
}

function said(text: string): XmlEvent {
  return { kind: 'text', text }
}
function begins(tool: string): XmlEvent {
  return { kind: 'call_begins', tool }
}
function called(tool: string, ...pairs: readonly (readonly [string, string])[]): XmlEvent {
  return { kind: 'call', tool, parameters: pairs.map(([name, value]) => ({ name, value })) }
}
function fault(tool: string, text: string, problem: string): XmlEvent {
  return { kind: 'malformed', tool, text, problem }
}
