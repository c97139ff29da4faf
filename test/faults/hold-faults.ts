import { describe, expect, test } from 'vitest'
import { runFault } from './faults.ts'
import type { Way } from './ways.ts'

/** Every fault as a test, on each of these ways. */
export function holdFaults(ways: readonly Way[]): void {
  describe.each(ways)('with $name', ({ open, faults }) => {
    test.each(faults.map((fault) => [`${fault.id}. ${fault.fault}: ${fault.promise}`, fault] as const))(
      '%s',
      async (_title, fault) => {
        expect(await runFault(fault, open)).toMatch(/\S/)
      },
    )
  })
}
