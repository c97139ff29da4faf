import { expect, test } from 'vitest'
import { claudeCommands } from '../../../src/prompts/formats/claude-command.ts'
import type { FoundPrompt } from '../../../src/prompts/formats/format.ts'
import { argument, promptOf } from '../makers.ts'

function readOne(text: string, path = 'review-pr.md'): FoundPrompt {
  const [found] = claudeCommands.read([{ path, text }]).prompts
  if (found === undefined) throw new Error('nothing was read')
  return found
}

function textOf({ draft }: FoundPrompt): string {
  const content = draft.messages[0]?.content
  return content?.type === 'text' ? content.text : ''
}

test('a command without front matter is a prompt named after its file', () => {
  expect(readOne('Look at the code.\n').draft).toEqual(promptOf('review_pr', 'Look at the code.'))
})

test('$ARGUMENTS becomes one argument, named after the hint', () => {
  const found = readOne('---\ndescription: Fix an issue\nargument-hint: [issue-number]\n---\n\nFix $ARGUMENTS now.\n')

  expect(found.draft).toMatchObject({
    description: 'Fix an issue',
    arguments: [{ name: 'issue-number', required: false }],
  })
  expect(textOf(found)).toBe('Fix {{issue-number}} now.')
})

test.each([
  ['$1 is the first argument', 'Compare $1 with $2.', 'Compare {{file}} with {{mode}}.'],
  ['$0 is the first argument where it is used', 'Compare $0 with $1.', 'Compare {{file}} with {{mode}}.'],
  [
    '$ARGUMENTS[0] is the first argument',
    'Compare $ARGUMENTS[0] with $ARGUMENTS[1].',
    'Compare {{file}} with {{mode}}.',
  ],
])('%s', (_, body, wanted) => {
  const found = readOne(`---\nargument-hint: <file> [mode]\n---\n${body}`)

  expect(textOf(found)).toBe(wanted)
  expect(found.draft.arguments).toEqual([argument('file', { required: true }), argument('mode')])
})

test('positions without a hint get numbers', () => {
  const found = readOne('Move $1 to $2, all of it: $ARGUMENTS')

  expect(textOf(found)).toBe('Move {{arg1}} to {{arg2}}, all of it: {{arguments}}')
})

test.each(['arguments: component target', 'arguments: [component, target]', 'arguments:\n  - component\n  - target'])(
  'names from the front matter are used: %s',
  (header) => {
    expect(textOf(readOne(`---\n${header}\n---\nMove $component to $target ($1).`))).toBe(
      'Move {{component}} to {{target}} ({{target}}).',
    )
  },
)

test('what looks like a placeholder and is none stays: prices, shell variables, escaped dollars', () => {
  const text = 'It costs $100 or $9.50; use $HOME and \\$1 and US$5.'

  const found = readOne(text)

  expect(textOf(found)).toBe(text)
  expect(found.draft.arguments).toEqual([])
})

test('front matter that YAML refuses is read as clients read it', () => {
  const found = readOne('---\ndescription: Review: fast and strict\nargument-hint: [file] [mode]\n---\nReview $1, $2')

  expect(found.draft.description).toBe('Review: fast and strict')
  expect(found.draft.arguments.map(({ name }) => name)).toEqual(['file', 'mode'])
})

test('fields that only Claude Code understands are kept and written back', () => {
  const text =
    '---\ndescription: Commit\nallowed-tools: Bash(git add:*), Bash(git commit:*)\nmodel: haiku\n---\n\nCommit it.\n'

  const { draft } = readOne(text, 'commit.md')

  expect(draft.meta).toEqual({ claude: { 'allowed-tools': 'Bash(git add:*), Bash(git commit:*)', model: 'haiku' } })
  expect(claudeCommands.write([draft]).files).toEqual([{ path: 'commit.md', text }])
})

test('folders below commands are a tag, and tell equal names apart', () => {
  const { prompts } = claudeCommands.read(
    ['.claude/commands/frontend/component.md', '.claude/commands/backend/component.md'].map((path) => ({
      path,
      text: path,
    })),
  )

  expect(prompts.map(({ draft }) => [draft.name, draft.tags])).toEqual([
    ['component', ['frontend']],
    ['backend_component', ['backend']],
  ])
})

test('a command that runs something is pointed out, for it runs nothing here', () => {
  expect(readOne('Status: !`git status`').notes).toEqual([
    'Claude Code runs !`git status` before it reads the text. Capstan runs nothing: it stays as it is.',
  ])
})

test('an empty file is named, not read', () => {
  expect(claudeCommands.read([{ path: 'empty.md', text: '---\ndescription: x\n---\n\n' }])).toEqual({
    prompts: [],
    unusable: [{ from: 'empty.md', reason: 'it holds no text' }],
  })
})

test('one argument takes the whole line, so that nobody has to quote; several are named', () => {
  const one = promptOf('one', 'Fix {{issue}}.', { arguments: [argument('issue', { required: true })] })
  const two = promptOf('two', 'From {{a-b}} to {{c}}.', { arguments: [argument('a-b'), argument('c')] })

  const [first, second] = claudeCommands.write([one, two]).files

  expect(first?.text).toBe('---\nargument-hint: <issue>\n---\n\nFix $ARGUMENTS.\n')
  expect(second?.text).toContain('arguments:\n  - a_b\n  - c\n')
  expect(second?.text).toContain('From $a_b to $c.')
})

test('names that differ only in underscores get files of their own', () => {
  const { files } = claudeCommands.write([promptOf('a_b'), promptOf('a__b'), promptOf('_')])

  expect(files.map(({ path }) => path)).toEqual(['a-b.md', 'a-b-2.md', 'prompt.md'])
})
