import type { Component } from '@earendil-works/pi-tui'
import { harmlessLine } from './harmless-line.ts'

/** A part of the transcript. Lines must fit the width. */
export interface Block {
  readonly render: (width: number) => readonly string[]
}

/** What has been said, from the top down. Only what is still in the window is drawn. */
export interface Transcript extends Component {
  readonly add: (...blocks: readonly Block[]) => void
  /** Above all else, as long as nothing has scrolled away. */
  readonly addFirst: (block: Block) => void
  /** Takes away blocks that no longer hold; what has scrolled away stays where it is. */
  readonly remove: (...blocks: readonly Block[]) => void
  readonly replace: (old: Block, by: Block) => void
  /** Whether all of it can still be drawn anew. */
  readonly isInWindow: (block: Block) => boolean
  /** Whether something below its lines would still be drawn. */
  readonly isEndInWindow: (block: Block) => boolean
  /** Leaves out up to this many lines at the top from now on, and says how many. */
  readonly forget: (lines: number) => number
  /** Begins so far down, or so far up again, that this many lines remain. */
  readonly fit: (width: number, lines: number) => void
}

export function makeTranscript(): Transcript {
  let blocks: readonly Block[] = []
  /** The first block that is drawn, and how many of its lines are not. */
  let start = { block: 0, line: 0 }
  let drawn: readonly (readonly string[])[] = []

  return {
    add(...more) {
      blocks = [...blocks, ...more]
    },
    addFirst(block) {
      blocks = [block, ...blocks]
      if (start.block > 0 || start.line > 0) start = { ...start, block: start.block + 1 }
    },
    remove(...gone) {
      const before = blocks.slice(0, start.block).filter((block) => gone.includes(block)).length
      const first = blocks[start.block]
      blocks = blocks.filter((block) => !gone.includes(block))
      start = { block: start.block - before, line: first !== undefined && gone.includes(first) ? 0 : start.line }
    },
    replace(old, by) {
      blocks = blocks.map((block) => (block === old ? by : block))
    },
    isInWindow(block) {
      const at = blocks.indexOf(block)
      return at > start.block || (at === start.block && start.line === 0)
    },
    isEndInWindow: (block) => blocks.indexOf(block) >= start.block,
    render(width) {
      drawn = blocks.slice(start.block).map((block) => linesOf(block, width))
      return drawn.flat().slice(start.line)
    },
    forget(lines) {
      let left = lines
      for (const own of drawn) {
        const rest = own.length - start.line
        if (left === 0 || left < rest) break
        left -= rest
        start = { block: start.block + 1, line: 0 }
      }
      if (start.block < blocks.length) {
        start = { ...start, line: start.line + left }
        left = 0
      }
      drawn = []
      return lines - left
    },
    fit(width, lines) {
      let room = lines
      let block = blocks.length
      while (block > 0 && room > 0) {
        block -= 1
        room -= linesOf(blocks[block], width).length
      }
      start = { block, line: Math.max(0, -room) }
    },
    invalidate() {},
  }
}

/** Whatever a block draws passes here, on its way to the terminal. */
function linesOf(block: Block | undefined, width: number): readonly string[] {
  return block?.render(width).map(harmlessLine) ?? []
}
