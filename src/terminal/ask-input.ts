import type { InputQuestion } from '../config/inputs.ts'
import { rank } from '../commands/fuzzy.ts'
import { CapstanError } from '../errors.ts'
import { plainLine } from '../policy/plain-text.ts'
import { formPanel } from './panels/form-panel.ts'
import type { Workplace } from './workplace.ts'

/** Asks for the value of an `${input:…}` that a server's entry names. What is not declared to be public is typed unseen. */
export function askInput({ server, id, declaration }: InputQuestion, place: Workplace): Promise<string> {
  const { description, options = [], default: preset, isSecret = true } = declaration ?? {}
  return new Promise((resolve, reject) => {
    const panel = formPanel({
      title: `${plainLine(server)} needs a value before it can start`,
      fields: [
        {
          name: 'value',
          title: description ?? `Value of "${id}"`,
          required: true,
          kind: options.length === 0 ? 'text' : 'choice',
          ...(preset === undefined ? {} : { default: preset }),
        },
      ],
      values: {},
      isHidden: isSecret && options.length === 0,
      check: (_, text) => {
        if (text === '') return 'A value is needed.'
        return options.length === 0 || options.includes(text) ? undefined : `One of: ${options.join(', ')}.`
      },
      complete: async (_, { typed }) => rank(options, typed, (option) => option).map(({ item }) => ({ value: item })),
      escape: 'leaves the server out',
      tui: place.tui,
      paint: place.paint,
      onFilled({ value = '' }) {
        place.panels.close(panel)
        resolve(value)
      },
      onEscape() {
        place.panels.close(panel)
        reject(new CapstanError('cancelled', 'The question was cancelled; nothing was changed.'))
      },
      onKey: place.onAnyKey,
    })
    place.panels.open(panel, { isCalledFor: false })
  })
}
