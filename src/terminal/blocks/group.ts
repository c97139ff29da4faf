import type { Block, Transcript } from '../transcript.ts'

/** A block with what belongs below it, in whatever order commands come to their ends. */
export interface Group {
  /** Below what is there; at the end of the transcript where that has scrolled away. */
  readonly show: (...blocks: readonly Block[]) => void
}

export function showGroup(first: Block, transcript: Transcript): Group {
  let blocks: readonly Block[] = [first]
  const whole: Block = { render: (width) => blocks.flatMap((block) => block.render(width)) }
  transcript.add(whole)
  return {
    show(...more) {
      if (transcript.isEndInWindow(whole)) blocks = [...blocks, ...more]
      else transcript.add(...more)
    },
  }
}
