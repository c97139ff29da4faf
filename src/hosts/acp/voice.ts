import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk'
import type { Notice } from '../../agent/session.ts'
import { plainText } from '../../policy/plain-text.ts'
import type { Editor } from './editor.ts'
import { paragraph } from './outcome-blocks.ts'

/** What the agent itself has to say to the person. */
export interface Voice {
  /** A part of the answer. */
  readonly say: (content: ContentBlock) => void
  /** News that is no part of it. */
  readonly tell: (news: News) => void
}

export type News = Pick<Notice, 'level' | 'text' | 'next'>

export function makeVoice(put: (update: SessionUpdate) => void, { can }: Pick<Editor, 'can'>): Voice {
  return {
    say: (content) => put({ sessionUpdate: 'agent_message_chunk', content }),
    tell({ level, text, next }) {
      const [title, description] = [plainText(text), next === undefined ? undefined : plainText(next)]
      if (can.showNotices) {
        const more = description === undefined ? {} : { description }
        return put({ sessionUpdate: 'notice', severity: level, title, ...more })
      }
      if (level === 'info') return
      // The next best: it is shown, and is no part of the answer.
      const content = paragraph(description === undefined ? title : `${title} ${description}`)
      put({ sessionUpdate: 'agent_thought_chunk', content })
    },
  }
}
