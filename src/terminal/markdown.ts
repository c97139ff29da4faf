import { Markdown as MarkdownText, type MarkdownTheme, setCapabilityOverrides } from '@earendil-works/pi-tui'
import { plainText } from '../policy/plain-text.ts'
import type { Palette } from './paint.ts'

/** Draws Markdown. The text may come from anywhere: it is made plain here, before it is read as Markdown. */
export interface Markdown {
  readonly draw: (text: string, width: number) => readonly string[]
  /** The same for a text that changes with every frame, which is not worth remembering. */
  readonly drawLive: (text: string, width: number) => readonly string[]
}

interface Drawn {
  readonly width: number
  readonly lines: readonly string[]
}

export function makeMarkdown(paint: Palette): Markdown {
  // A link that hides its address is an invitation to be fooled; and pictures would need sequences that we filter.
  setCapabilityOverrides({ hyperlinks: false, images: null })
  const theme = themeOf(paint)
  const known = new Map<string, Drawn>()
  return {
    draw(text, width) {
      const before = known.get(text)
      if (before?.width === width) return before.lines
      const lines = drawLive(text, width)
      remember(text, { width, lines })
      return lines
    },
    drawLive,
  }

  function drawLive(text: string, width: number): readonly string[] {
    const plain = plainText(text).replace(/^\n+/, '').trimEnd()
    return new MarkdownText(plain, 0, 0, theme).render(width).map((line) => line.trimEnd())
  }

  function remember(text: string, drawn: Drawn): void {
    const [oldest] = known.keys()
    if (known.size >= mostKept && oldest !== undefined) known.delete(oldest)
    known.set(text, drawn)
  }
}

/** More paragraphs than a window shows. */
const mostKept = 300

function themeOf(paint: Palette): MarkdownTheme {
  return {
    heading: paint.heading,
    link: paint.underline,
    linkUrl: paint.faint,
    code: paint.name,
    codeBlock: (text) => text,
    codeBlockBorder: paint.faint,
    quote: paint.italic,
    quoteBorder: paint.faint,
    hr: paint.faint,
    listBullet: paint.faint,
    bold: paint.heading,
    italic: paint.italic,
    strikethrough: paint.struck,
    underline: paint.underline,
  }
}
