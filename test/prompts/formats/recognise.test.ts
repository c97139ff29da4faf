import { expect, test } from 'vitest'
import { recogniseFiles } from '../../../src/prompts/formats/formats.ts'

function recognise(files: Readonly<Record<string, string>>) {
  const { byFormat, doubtful } = recogniseFiles(Object.entries(files).map(([path, text]) => ({ path, text })))
  return {
    doubtful,
    found: Object.fromEntries(Array.from(byFormat, ([format, own]) => [format, own.map(({ path }) => path)])),
  }
}

test('a repository with many kinds of prompts is sorted by kind, and its documentation left alone', () => {
  const { found, doubtful } = recognise({
    'README.md': 'Use $ARGUMENTS in commands.',
    'docs/guide.md': 'A guide.',
    '.claude/commands/review.md': 'Review it.',
    'prompts/ask.prompt.md': 'Ask.',
    'skills/pdf/SKILL.md': 'Read PDFs.',
    'skills/pdf/references/forms.md': '---\ndescription: Forms\n---\nx',
    'patterns/summarize/system.md': 'Summarize.',
    'patterns/summarize/user.md': '',
    'loose/fix.md': 'Fix $1.',
    'loose/with-header.md': '---\ndescription: It has one\n---\nDo it.',
    'prompts.csv': 'act,prompt',
    'mine.jsonl': '{"name": "a", "messages": []}',
    'data/other.jsonl': '{"id": 1}',
    'data/other.csv': 'a,b',
  })

  expect(found).toEqual({
    claude: ['.claude/commands/review.md', 'loose/fix.md', 'loose/with-header.md'],
    vscode: ['prompts/ask.prompt.md'],
    skill: ['skills/pdf/SKILL.md', 'skills/pdf/references/forms.md'],
    fabric: ['patterns/summarize/system.md', 'patterns/summarize/user.md'],
    csv: ['prompts.csv'],
    jsonl: ['mine.jsonl'],
  })
  expect(doubtful).toEqual(['README.md', 'docs/guide.md'])
})

test('a skill at the root of a folder takes the whole folder', () => {
  expect(recognise({ 'SKILL.md': 'x', 'more.md': 'Use $1' }).found).toEqual({ skill: ['SKILL.md', 'more.md'] })
})
