import { CapstanError } from '../../errors.ts'
import type { Prompt, PromptDraft } from '../prompt.ts'
import { promptNameFor } from '../prompt-name.ts'
import { readPrompt } from '../read-prompt.ts'
import { changeLibrary, promptToChange } from './change-library.ts'
import { badArguments } from './bad-arguments.ts'
import {
  changeSchema,
  flag,
  integer,
  object,
  promptFields,
  promptName,
  revisionOrLabel,
  text,
  type ObjectSchema,
} from './schemas.ts'
import { revisionIn, type LibraryTool, type ToolArguments } from './tool.ts'

const expected = {
  'expected_revision?': integer('Refuse if the prompt is not at this revision any more; 0 means new.', 0),
}

export const createPrompt: LibraryTool = {
  writes: true,
  definition: {
    name: 'create_prompt',
    title: 'Create a prompt',
    description:
      'Adds a prompt to the library. Search first: a better version of one that is there belongs into update_prompt.',
    inputSchema: object({
      'name?': text('Small letters, digits and underscores; made from the title if absent.'),
      ...promptFields,
    }),
    outputSchema: changeSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  async run(args, call) {
    const taken = new Set((await call.library.store.list()).map(({ prompt }) => prompt.name))
    const name = args.has('name') ? args.text('name') : nameFromTitle(args, taken)
    const prompt = readPrompt({ ...givenFields(args), name })
    if (taken.has(name)) {
      throw new CapstanError('prompt_conflict', `There is a prompt "${name}" already.`, {
        next: 'Choose another name, or change it with update_prompt.',
      })
    }
    return changeLibrary(call, { kind: 'put', prompt }, 0)
  },
}

export const updatePrompt: LibraryTool = {
  writes: true,
  definition: {
    name: 'update_prompt',
    title: 'Change a prompt',
    description:
      'Makes a new revision of a prompt with the fields that are given; the others stay as they are. null removes a field. Earlier revisions can be restored.',
    inputSchema: withNulls(object({ name: promptName, ...promptFields, ...expected })),
    outputSchema: changeSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  async run(args, call) {
    const before = await promptToChange(call.library, args.text('name'))
    const { updated: _, ...kept }: Prompt = before
    const prompt: PromptDraft = readPrompt({ ...kept, ...givenFields(args) })
    return changeLibrary(call, { kind: 'put', prompt }, expectedRevision(args))
  },
}

export const deletePrompt: LibraryTool = {
  writes: true,
  definition: {
    name: 'delete_prompt',
    title: 'Delete a prompt',
    description: 'Takes a prompt out of the library. Its history stays, so restore_prompt can bring it back.',
    inputSchema: object({ name: promptName, ...expected }),
    outputSchema: changeSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  async run(args, call) {
    const { prompt } = await call.library.store.get(args.text('name'))
    return changeLibrary(call, { kind: 'remove', name: prompt.name }, expectedRevision(args))
  },
}

export const restorePrompt: LibraryTool = {
  writes: true,
  definition: {
    name: 'restore_prompt',
    title: 'Restore a prompt',
    description:
      'Makes what a prompt said at an earlier revision its newest revision again; also brings back a deleted one.',
    inputSchema: object({ name: promptName, at: revisionOrLabel, ...expected }),
    outputSchema: changeSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  async run(args, call) {
    const name = args.text('name')
    const at = revisionIn(args, 'at')
    const history = await call.library.store.history(name)
    const found = history.find(({ revision, labels }) =>
      typeof at === 'number' ? revision === at : labels.includes(at),
    )
    if (found?.prompt === undefined) {
      throw new CapstanError('prompt_unknown', `Prompt "${name}" has no revision "${at}" that could be restored.`, {
        next: 'prompt_history lists what there is.',
      })
    }
    const { updated: _, ...kept } = found.prompt
    return changeLibrary(call, { kind: 'put', prompt: { ...kept, name } }, expectedRevision(args))
  },
}

export const labelPrompt: LibraryTool = {
  writes: true,
  definition: {
    name: 'label_prompt',
    title: 'Label a revision',
    description:
      'Points a label such as production at a revision of a prompt; a label that is there already moves. With remove it goes away.',
    inputSchema: object({
      name: promptName,
      label: text('A word such as production or draft.'),
      'revision?': integer('The newest one if absent.'),
      'remove?': flag('Take the label away instead.'),
    }),
    outputSchema: changeSchema,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  async run(args, call) {
    const [name, label] = [args.text('name'), args.text('label')]
    const wanted = args.number('revision', { least: 1, most: Number.MAX_SAFE_INTEGER })
    const found = await call.library.store.get(name, wanted === undefined ? {} : { at: wanted })
    if (!args.flag('remove', false))
      return changeLibrary(call, { kind: 'label', name, label, revision: found.revision })
    if (!Object.hasOwn(found.labels, label)) throw badArguments(`Prompt "${name}" has no label "${label}".`)
    return changeLibrary(call, { kind: 'unlabel', name, label })
  },
}

function nameFromTitle(args: ToolArguments, taken: ReadonlySet<string>): string {
  if (!args.has('title')) throw badArguments('create_prompt needs a name or a title.')
  return promptNameFor(args.text('title'), (name) => taken.has(name))
}

/** What was said about the prompt, `null` included; `text` is short for one message. */
function givenFields(args: ToolArguments): Readonly<Record<string, unknown>> {
  const names = Object.keys(promptFields).map((name) => name.replace(/\?$/, ''))
  const given = names.flatMap((name) => (args.raw(name) === undefined ? [] : [[name, args.raw(name)] as const]))
  const { text: shorthand, ...fields } = Object.fromEntries(given)
  if (shorthand === undefined || shorthand === null) return fields
  if (args.has('messages')) throw badArguments('Give either text or messages, not both.')
  return { ...fields, messages: [{ role: 'user', content: args.text('text') }] }
}

function expectedRevision(args: ToolArguments): number | undefined {
  return args.number('expected_revision', { least: 0, most: Number.MAX_SAFE_INTEGER })
}

/** Every field but the name and the revision may be `null`. */
function withNulls(schema: ObjectSchema): ObjectSchema {
  const properties = Object.entries(schema.properties).map(([name, property]) =>
    name === 'name' || name === 'expected_revision'
      ? [name, property]
      : [name, { anyOf: [property, { type: 'null' }] }],
  )
  return { ...schema, properties: Object.fromEntries(properties) }
}
