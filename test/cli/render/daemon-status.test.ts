import { expect, test } from 'vitest'
import type { DaemonStatus } from '../../../src/daemon/status.ts'
import { renderDaemonStatus } from '../../../src/cli/render/daemon-status.ts'
import { styleFor } from '../../../src/cli/render/style.ts'

const style = styleFor({ env: {}, stdoutIsTerminal: false, stderrIsTerminal: false })
const idle = (name: string) => ({ names: [name], state: { kind: 'idle' as const }, stats: { restarts: 0, calls: 0 } })
const status = (...names: readonly string[]): DaemonStatus => ({
  pid: 7,
  version: '1.2.3',
  uptimeMs: 61_000,
  clients: 1,
  rssBytes: 50 * 2 ** 20,
  servers: names.map(idle),
})

test('the status of a daemon is a line and a table, with no blank line at its end', () => {
  expect(renderDaemonStatus(status('one', 'two'), { columns: 100, style })).toBe(
    [
      'Daemon 1.2.3, pid 7, up 1 min, 1 client, 50 MB',
      '',
      'SERVER  STATE  ERA  PID  UP  RESTARTS  CALLS  P50  P95',
      'one     idle                 0         0',
      'two     idle                 0         0',
      '',
    ].join('\n'),
  )
})

test('a server that runs in several copies is explained, so that nobody takes them for leftovers', () => {
  const text = renderDaemonStatus(status('one', 'two', 'one'), { columns: 60, style })

  expect(text).toContain('\n\nA server stands here more than once where callers differ in')
  expect(text.split('\n').every((line) => line.length <= 60)).toBe(true)
})
