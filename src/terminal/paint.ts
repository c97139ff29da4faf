import { styleText } from 'node:util'
import { wantsColor } from '../policy/wants-color.ts'

type Paint = (text: string) => string

/** The few looks of the screen, by meaning. They use the terminal's own colours, so that they fit a light one and a dark one. */
export interface Palette {
  readonly heading: Paint
  readonly name: Paint
  readonly faint: Paint
  readonly good: Paint
  readonly bad: Paint
  readonly warning: Paint
  readonly italic: Paint
  readonly underline: Paint
  readonly struck: Paint
  /** What is selected; it shows without colours too. */
  readonly selected: Paint
}

type Environment = Readonly<Record<string, string | undefined>>

/** Colours as on the rest of the command line. */
export function paletteFor(env: Environment): Palette {
  const hasColor = wantsColor(env, true)
  const paint = (format: Parameters<typeof styleText>[0]): Paint =>
    hasColor ? (text) => styleText(format, text, { validateStream: false }) : (text) => text
  return {
    heading: paint('bold'),
    name: paint('cyan'),
    faint: paint('dim'),
    good: paint('green'),
    bad: paint('red'),
    warning: paint('yellow'),
    italic: paint('italic'),
    underline: paint('underline'),
    struck: paint('strikethrough'),
    selected: (text) => styleText('inverse', text, { validateStream: false }),
  }
}
