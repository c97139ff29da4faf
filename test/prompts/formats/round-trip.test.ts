import { assert, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formats, recogniseFiles } from '../../../src/prompts/formats/formats.ts'
import { formatIds } from '../../../src/prompts/formats/ids.ts'
import type { Prompt } from '../../../src/prompts/prompt.ts'
import { argument, promptOf } from '../makers.ts'
import { arbitraryPrompts } from './arbitrary-prompts.ts'

describe.each(formatIds)('%s', (id) => {
  const format = formats[id]

  test('reads back whatever it wrote, whole, or says that a text means something else there', () => {
    assert(
      property(arbitraryPrompts, (prompts) => {
        const { files, losses } = format.write(prompts)
        const { prompts: again, unusable } = format.read(files)

        expect(unusable).toEqual([])
        const lost = new Set(losses.map((loss) => loss.split(':')[0]))
        const isWhole = ({ name }: { readonly name: string }) => !lost.has(name)
        expect(again.map(({ draft }) => draft).filter(isWhole)).toEqual(prompts.filter(isWhole))
        expect(prompts.filter((prompt) => !isWhole(prompt)).every((prompt) => hasForeignSyntax(prompt))).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  test('is recognised from the files it writes', () => {
    const prompts = [promptOf('one', 'Do {{this}}', { arguments: [argument('this')], description: 'About one' })]

    const { byFormat, doubtful } = recogniseFiles(format.write(prompts).files)

    expect([...byFormat.keys()]).toEqual([id])
    expect(doubtful).toEqual([])
  })

  test('keeps steps, dates and what other clients said', () => {
    const prompt = promptOf('runbook', 'Go through {{service}}', {
      arguments: [argument('service', { required: true, type: 'string', enum: ['api', 'web'] })],
      steps: [{ title: 'Look at {{service}}', text: 'Open the log.\n\n- first\n- second' }, { title: 'Write it down' }],
      created: '2026-01-02T03:04:05Z',
      template: 'plus',
      meta: { other: { model: 'large', tools: ['a', 'b'] } },
      tags: ['ops/incident', 'ops'],
    })

    const [again] = format.read(format.write([prompt]).files).prompts

    expect(again?.draft).toEqual(prompt)
  })

  test('reads back a text that itself begins like front matter', () => {
    const prompt = promptOf('about_skills', '---\nname: some-skill\n---\n\nA text about a skill.')

    expect(format.read(format.write([prompt]).files).prompts[0]?.draft).toEqual(prompt)
  })

  test('says what it cannot hold', () => {
    const picture = { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } } as const
    const prompt = promptOf('picture')

    const { losses } = format.write([{ ...prompt, messages: [...prompt.messages, picture] }])

    expect(losses).toEqual(id === 'jsonl' ? [] : ['picture: 1 of its messages hold no text, and are left out.'])
  })
})

/** A text that holds, word for word, what a client would take for one of the prompt's arguments. */
function hasForeignSyntax({ messages }: Prompt): boolean {
  return messages.some(({ content }) => content.type === 'text' && /\$(?:ARGUMENTS|\{)/.test(content.text))
}
