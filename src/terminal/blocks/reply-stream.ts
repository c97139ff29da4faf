import type { Markdown } from '../markdown.ts'
import type { Block, Transcript } from '../transcript.ts'
import { replyBlock } from './said.ts'

/** A reply while it is being written. Whole paragraphs are drawn once; only the last one is drawn again as it grows. */
export interface ReplyStream {
  readonly push: (text: string) => void
  /** What has been shown of it no longer holds. Says whether some of it has scrolled away and cannot be taken back. */
  readonly takeBack: () => boolean
}

export function makeReplyStream(transcript: Transcript, markdown: Markdown): ReplyStream {
  let tail = ''
  let live: Block | undefined
  const shown: Block[] = []
  return {
    push(text) {
      tail += text
      const { paragraphs, rest } = wholeParagraphs(tail)
      for (const paragraph of paragraphs) add(paragraph)
      tail = rest
      if (tail.trim() === '' || live !== undefined) return
      live = { render: (width) => ['', ...markdown.drawLive(tail, width)] }
      shown.push(live)
      transcript.add(live)
    },
    takeBack() {
      const isGone = shown.some((block) => !transcript.isInWindow(block))
      transcript.remove(...shown)
      shown.length = 0
      live = undefined
      tail = ''
      return isGone
    },
  }

  /** The block that grew so far holds the first of them. */
  function add(paragraph: string): void {
    if (live !== undefined) {
      const index = shown.indexOf(live)
      const whole = replyBlock(paragraph, markdown)
      transcript.replace(live, whole)
      shown[index] = whole
      live = undefined
      return
    }
    const block = replyBlock(paragraph, markdown)
    shown.push(block)
    transcript.add(block)
  }
}

/** The paragraphs that nothing can change any more. A fence, and what is indented under a list, belongs to what stands before it. */
export function wholeParagraphs(text: string): { readonly paragraphs: readonly string[]; readonly rest: string } {
  const paragraphs: string[] = []
  let start = 0
  for (const { index } of text.matchAll(/\n[ \t]*\n(?=[^\s])/g)) {
    const paragraph = text.slice(start, index)
    if (isInFence(paragraph)) continue
    if (paragraph.trim() !== '') paragraphs.push(paragraph)
    start = index
  }
  return { paragraphs, rest: text.slice(start) }
}

function isInFence(text: string): boolean {
  let fence: string | undefined
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark === undefined) continue
    if (fence === undefined) fence = mark
    else if (mark.startsWith(fence) && line.trim() === mark) fence = undefined
  }
  return fence !== undefined
}
