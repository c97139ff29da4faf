import type { Component } from '@earendil-works/pi-tui'

/** Something that stands in the editor's place until the person has answered it. */
export interface Panel extends Component {
  readonly handleInput: (key: string) => void
  /** Told when keys begin to come here, and when they stop. */
  readonly setActive: (isActive: boolean) => void
}

/** What a panel says while the keys still go to the editor. */
export const restFirst = 'Your typing goes to the line below until you pause.'

/** Where panels are shown, one at a time. */
export interface PanelStack {
  /** A panel that the person did not call for waits until they have stopped typing. */
  readonly open: (panel: Panel, options: { readonly isCalledFor: boolean }) => void
  readonly close: (panel: Panel) => void
}

/** A place for one panel at a time: what is put there takes the place of what was, and nothing takes it away. */
export function panelSlot(panels: PanelStack): (panel: Panel | undefined, isCalledFor: boolean) => void {
  let shown: Panel | undefined
  return (panel, isCalledFor) => {
    const old = shown
    shown = panel
    if (old !== undefined) panels.close(old)
    if (panel !== undefined) panels.open(panel, { isCalledFor })
  }
}
