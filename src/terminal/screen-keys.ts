import { matchesKey } from '@earendil-works/pi-tui'

export interface ScreenKeysSetup {
  readonly isEmpty: () => boolean
  readonly onLeave: () => void
  readonly onSuspend: () => void
  readonly onStop: () => void
  readonly onToggleResult: () => void
  readonly onPreview: () => void
  /** Takes what waits last back into the editor; says whether something waits. */
  readonly onEditQueue: () => boolean
  readonly onChange: () => void
}

/** The keys that belong to neither a menu nor the text. */
export interface ScreenKeys extends Disposable {
  /** Those that mean the same wherever the person is. True: it was one. */
  readonly onAnyKey: (key: string) => boolean
  readonly onEditorKey: (key: string) => boolean
  /** Whether the next Ctrl-C leaves. */
  readonly isLeaving: () => boolean
}

export function makeScreenKeys(setup: ScreenKeysSetup): ScreenKeys {
  let leaving: NodeJS.Timeout | undefined
  return {
    onAnyKey(key) {
      if (matchesKey(key, 'ctrl+z')) setup.onSuspend()
      else if (matchesKey(key, 'ctrl+c')) interrupt()
      else {
        forget()
        return false
      }
      return true
    },
    onEditorKey(key) {
      if (matchesKey(key, 'escape')) setup.onStop()
      else if (matchesKey(key, 'ctrl+o')) setup.onToggleResult()
      else if (matchesKey(key, 'ctrl+p')) setup.onPreview()
      else if (!setup.isEmpty()) return false
      else if (matchesKey(key, 'ctrl+d')) setup.onLeave()
      else return matchesKey(key, 'up') && setup.onEditQueue()
      return true
    },
    isLeaving: () => leaving !== undefined,
    [Symbol.dispose]: forget,
  }

  function interrupt(): void {
    if (leaving !== undefined) return setup.onLeave()
    leaving = setTimeout(() => {
      forget()
      setup.onChange()
    }, leaveMs)
  }

  function forget(): void {
    clearTimeout(leaving)
    leaving = undefined
  }
}

/** For how long the first Ctrl-C is remembered. */
const leaveMs = 2000
