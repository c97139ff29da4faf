import { expect, test } from 'vitest'
import { showProgress } from '../../src/cli/progress.ts'
import { displayWidth } from '../../src/cli/render/width.ts'
import { person } from './person.ts'

test('in a pipe every step is a line of its own, and there is nothing to clear', () => {
  const script = person()
  const { onProgress, clear } = showProgress(script.io)

  onProgress({ progress: 1, total: 3, message: 'first' })
  onProgress({ progress: 2, total: 3 })
  onProgress({ progress: 2.5 })
  clear()

  expect(script.said()).toBe('1/3 first\n2/3\n2.5\n')
})

test('on a terminal one line is drawn over and over, and cleared once', () => {
  const ada = person({ isAtTerminal: true })
  const { onProgress, clear } = showProgress(ada.io)

  onProgress({ progress: 1, total: 2 })
  onProgress({ progress: 2, total: 2, message: 'done' })
  clear()
  clear()

  expect(ada.said()).toBe(
    `\r\u001B[K${'█'.repeat(12)}${'░'.repeat(12)} 1/2\r\u001B[K${'█'.repeat(24)} 2/2 done\r\u001B[K`,
  )
})

test.each([
  ['more than all', { progress: 9, total: 3 }, '█'.repeat(24)],
  ['less than nothing', { progress: -1, total: 3 }, '░'.repeat(24)],
])('a server that tells of %s gets a bar that is whole all the same', (_what, progress, bar) => {
  const ada = person({ isAtTerminal: true })

  showProgress(ada.io).onProgress(progress)

  expect(ada.said()).toContain(`${bar} `)
})

test.each([{ progress: 3 }, { progress: 3, total: 0 }])('without a total there is no bar: %j', (progress) => {
  const ada = person({ isAtTerminal: true })

  showProgress(ada.io).onProgress(progress)

  expect(ada.said()).not.toMatch(/[█░]/)
})

test.each([20, 40, 80])(
  'a long message stays on one line of %i columns, also in scripts with wide characters',
  (columns) => {
    const ada = person({ isAtTerminal: true })

    showProgress({ ...ada.io, columns }).onProgress({
      progress: 1,
      total: 2,
      message: '進捗を表示しています'.repeat(9),
    })

    expect(displayWidth(ada.said().replace('\r\u001B[K', ''))).toBeLessThan(columns)
  },
)

test('a message cannot start a line or drive the terminal', () => {
  const ada = person({ isAtTerminal: true })

  showProgress(ada.io).onProgress({ progress: 1, message: 'a\nb\u001B[2J\u001B]0;owned\u0007c' })

  expect(ada.said()).toBe('\r\u001B[K1 a bc')
})
