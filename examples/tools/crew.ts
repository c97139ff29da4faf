// A tool of your own: in the folder ~/.config/capstan/tools it is the tool my.crew, to you and to every agent.
// It runs in the sandbox of `capstan exec`: `tools` is there, and nothing can be imported.
export const description = 'The names of the crew, or of those with one duty.'

export const input = {
  type: 'object',
  properties: { duty: { type: 'string', description: 'Only those with this duty' } },
}

// The only tools that it may call. Servers that are not named here are not started for it.
export const allow = ['filesystem.read_text_file']

export const annotations = { readOnlyHint: true }

export default async function ({ duty }: { readonly duty?: string }) {
  const file = (await tools.filesystem.read_text_file({ path: 'crew.csv' })) as { readonly content: string }
  const rows = file.content
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  const names = rows.filter(([, theirs]) => duty === undefined || theirs === duty).map(([name]) => name)
  return { names }
}
