import type { Library } from './library.ts'
import { renderServed } from './library.ts'
import { messagesText } from './read-tools.ts'
import { isRunbook } from './runbook-files.ts'
import type { Runbooks } from './runbooks.ts'
import { list, object, text } from './schemas.ts'
import { dataResult, type LibraryTool } from './tool.ts'

/** For clients that read neither resources nor skills. */
export function getRunbook(runbooks: Runbooks): LibraryTool {
  return {
    writes: false,
    definition: {
      name: 'get_runbook',
      title: 'Get a runbook',
      description:
        'Gives the text of a runbook: steps to go through, in order. Without a name it lists the runbooks; with file it gives another file of the runbook.',
      inputSchema: object({
        'name?': text('As the list has it.'),
        'file?': text('A file of the runbook, as its list of files has it; SKILL.md if absent.'),
        'arguments?': {
          type: 'object',
          description: 'Values for the arguments of a runbook that is a prompt of the library.',
          additionalProperties: { type: ['string', 'number', 'boolean'] },
        },
      }),
      outputSchema: object({
        'runbooks?': list(object({ name: text(), description: text(), uri: text() })),
        'name?': text(),
        'text?': text(),
        'files?': list(text(), 'What else it has.'),
      }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async run(args, { library }) {
      if (!args.has('name')) {
        const all = runbooks.list().map(({ name, description, uri }) => ({ name, description, uri }))
        return dataResult({ runbooks: all }, all.map(({ name, description }) => `${name}: ${description}`).join('\n'))
      }
      const runbook = runbooks.find(args.text('name'))
      const file = args.has('file') ? args.text('file') : 'SKILL.md'
      const rendered = args.has('arguments')
        ? await renderedRunbook(library, runbook.name, args.values('arguments'))
        : undefined
      const content = rendered ?? (await runbooks.read(runbook, file))
      return dataResult({ name: runbook.name, text: content, files: runbook.files }, content)
    },
  }
}

async function renderedRunbook(
  library: Library,
  name: string,
  values: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const promptName = name.replaceAll('-', '_')
  if (!(await library.store.has(promptName))) return undefined
  const { prompt } = await library.store.get(promptName)
  return isRunbook(prompt) ? messagesText(await renderServed(library, prompt, values)) : undefined
}
