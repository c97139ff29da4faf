// Has names and values that shells take for something else, and keeps silent when asked for values.
import { serveRaw } from '../fixtures/servers/raw-server.ts'

/** One for each letter at the front. */
export const oddValues = [
  'a b',
  "b's'",
  'c"d"',
  'd\\e',
  'e:f:g',
  'f=g=h',
  'g$(touch owned)',
  'h`touch owned`',
  'i;touch owned',
  'j$HOME',
  'k*',
  'l!x',
  'm[0]~#',
  'nö→',
  '@file',
] as const

if (import.meta.main) {
  serveRaw({
    name: 'odd names',
    prompts: [{ name: 'wait', arguments: [{ name: 'for', required: true }] }],
    // A question about values that is never answered.
    intercept: ({ method }) => method === 'completion/complete',
    tools: [
      {
        name: 'pick',
        description: 'Tab\tand\nline %s $(touch owned) `touch owned` : colon',
        inputSchema: {
          type: 'object',
          properties: { value: { enum: [...oddValues, 'z\nnewline', 'z\u001B[31mred', 'z\u202Eredro'] } },
        },
      },
      { name: 'two words: $(touch owned)', inputSchema: { type: 'object' } },
    ],
  })
}
