import { expect, test } from 'vitest'
import { fabricPatterns } from '../../../src/prompts/formats/fabric.ts'
import type { PromptFormat, Reading } from '../../../src/prompts/formats/format.ts'
import { promptLines } from '../../../src/prompts/formats/jsonl.ts'
import { promptsCsv } from '../../../src/prompts/formats/prompts-csv.ts'
import { skillFolders } from '../../../src/prompts/formats/skill.ts'
import { vscodePrompts } from '../../../src/prompts/formats/vscode-prompt.ts'
import { argument, promptOf } from '../makers.ts'

function read(format: PromptFormat, files: Readonly<Record<string, string>>): Reading {
  return format.read(Object.entries(files).map(([path, text]) => ({ path, text })))
}

function firstOf(format: PromptFormat, files: Readonly<Record<string, string>>) {
  const [found] = read(format, files).prompts
  if (found === undefined) throw new Error('nothing was read')
  return found
}

test('VS Code: inputs become arguments with their placeholder as description, other variables stay', () => {
  const { draft } = firstOf(vscodePrompts, {
    '.github/prompts/web/New Form.prompt.md':
      "---\nagent: agent\ndescription: 'Make a form'\ntools: ['edit', 'search']\n---\nMake ${input:formName:Name of the form} in ${file}, again ${input:formName}.\n",
  })

  expect(draft).toEqual(
    promptOf('new_form', 'Make {{formName}} in ${file}, again {{formName}}.', {
      description: 'Make a form',
      arguments: [argument('formName', { description: 'Name of the form' })],
      tags: ['web'],
      meta: { vscode: { agent: 'agent', tools: ['edit', 'search'] } },
    }),
  )
})

test('a skill keeps the files that it refers to, and they are written back beside it', () => {
  const files = {
    'skills/pdf/SKILL.md':
      '---\nname: pdf-tools\ndescription: Reads PDFs\nlicense: MIT\n---\n\nSee [forms](references/forms.md).\n',
    'skills/pdf/references/forms.md': '# Forms\n',
    'skills/pdf/scripts/run.py': 'print(1)\n',
  }

  const { draft, notes } = firstOf(skillFolders, files)

  expect(draft).toMatchObject({ name: 'pdf_tools', description: 'Reads PDFs' })
  expect(notes).toEqual(['The 2 files beside it are kept with it, and written back when it is exported as a skill.'])
  expect(skillFolders.write([draft]).files).toEqual([
    { path: 'pdf-tools/SKILL.md', text: files['skills/pdf/SKILL.md'] },
    { path: 'pdf-tools/references/forms.md', text: '# Forms\n' },
    { path: 'pdf-tools/scripts/run.py', text: 'print(1)\n' },
  ])
})

test('a path that a prompt brings along is written only below the folder of its skill', () => {
  const files = { '../../.bashrc': 'x', '/etc/passwd': 'x', 'a/../../b': 'x', 'SKILL.md': 'x', 'fine/a.md': 'x' }
  const prompt = promptOf('evil', 'Text', { meta: { skill: { files } } })

  expect(skillFolders.write([prompt]).files.map(({ path }) => path)).toEqual(['evil/SKILL.md', 'evil/fine/a.md'])
})

test('fabric: system and user become messages, the first sentence the description, and foreign braces stay', () => {
  const { draft } = firstOf(fabricPatterns, {
    'patterns/write_rule/system.md':
      '# IDENTITY and PURPOSE\n\nYou write rules. You are strict.\n\n# INPUT\n\n{{BaseURL}} {{input}}\n',
    'patterns/write_rule/user.md': 'CONTENT:\n',
    'patterns/write_rule/README.md': 'about it',
  })

  expect(draft).toMatchObject({
    name: 'write_rule',
    description: 'You write rules.',
    arguments: [{ name: 'input' }],
    messages: [{ role: 'user' }, { role: 'user', content: { text: 'CONTENT:' } }],
  })
  expect(JSON.stringify(draft.messages)).toContain('{{BaseURL}}')
})

test('prompts.chat: variables become arguments, with their defaults and the words they had', () => {
  const table =
    'act,prompt,for_devs,type,contributor\n"Job ""Interviewer""","Ask for ${Job Title:developer}, in ${language}.\nLine two: ${a+b}",TRUE,TEXT,me\n'

  const { draft, from } = firstOf(promptsCsv, { 'prompts.csv': table })

  expect(from).toBe('prompts.csv:2')
  expect(draft).toEqual({
    name: 'job_interviewer',
    title: 'Job "Interviewer"',
    arguments: [
      { name: 'Job_Title', description: 'Job Title', required: false, default: 'developer' },
      { name: 'language', required: true },
    ],
    messages: [
      { role: 'user', content: { type: 'text', text: 'Ask for {{Job_Title}}, in {{language}}.\nLine two: ${a+b}' } },
    ],
    tags: [],
    meta: { csv: { for_devs: 'TRUE', type: 'TEXT', contributor: 'me' } },
  })
  expect(promptsCsv.write([draft]).files[0]?.text.split('\n')[0]).toBe('"act","prompt","for_devs","type","contributor"')
})

test('prompts.chat: titles without Latin letters and equal titles get names of their own', () => {
  const { prompts } = read(promptsCsv, { 'prompts.csv': 'act,prompt\n翻译,x\nSame,a\nSame,b\n' })

  expect(prompts.map(({ draft }) => draft.name)).toEqual([expect.stringMatching(/^prompt_/), 'same', 'same_2'])
  expect(prompts[0]?.draft.title).toBe('翻译')
})

test.each([
  ['a quote that never closes', 'act,prompt\na,"b\n', /a quote that opens in line 2 never closes/],
  ['other columns', 'name,text\na,b\n', /no columns "act" and "prompt"/],
])('prompts.chat: %s is said', (_, text, reason) => {
  expect(read(promptsCsv, { 'x.csv': text })).toEqual({
    prompts: [],
    unusable: [{ from: 'x.csv', reason: expect.stringMatching(reason) }],
  })
})

test('the log of another library gives its prompts as they are at its end, and bad lines are named', () => {
  const lines = [
    JSON.stringify({ op: 'put', rev: 1, prompt: promptOf('a', 'first') }),
    JSON.stringify({ op: 'put', rev: 2, prompt: promptOf('a', 'second') }),
    JSON.stringify({ op: 'put', rev: 1, prompt: promptOf('gone') }),
    JSON.stringify({ op: 'delete', rev: 2, name: 'gone' }),
    'no json',
    JSON.stringify({ name: 'plain', messages: [{ role: 'user', content: 'by hand' }] }),
  ]

  const { prompts, unusable } = read(promptLines, { 'user.jsonl': lines.join('\n') })

  expect(prompts.map(({ draft, from }) => [draft.name, from])).toEqual([
    ['a', 'user.jsonl:2'],
    ['plain', 'user.jsonl:6'],
  ])
  expect(unusable).toEqual([{ from: 'user.jsonl:5', reason: 'The line is not JSON.' }])
})

test('lines with names that do not fit get ones that do, and keep theirs as titles', () => {
  const line = (name: string, rest = {}) =>
    JSON.stringify({ name, messages: [{ role: 'user', content: 'x' }], ...rest })

  const { prompts } = read(promptLines, {
    'x.jsonl': [line('Code Review'), line('code_review!', { title: 'Mine' })].join('\n'),
  })

  expect(prompts.map(({ draft, notes }) => [draft.name, draft.title, notes])).toEqual([
    ['code_review', 'Code Review', ['"Code Review" cannot be a name; it becomes code_review.']],
    ['code_review_2', 'Mine', ['"code_review!" cannot be a name; it becomes code_review_2.']],
  ])
})
