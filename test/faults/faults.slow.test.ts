import { describe, expect, test } from 'vitest'
import { makers } from '../hub/makers.ts'
import { faults, runFault } from './faults.ts'

describe.each(makers)('with %s', (maker, open) => {
  const ours = faults.filter(({ only }) => only === undefined || only === maker)

  test.each(ours.map((fault) => [`${fault.id}. ${fault.fault}: ${fault.promise}`, fault] as const))(
    '%s',
    async (_title, fault) => {
      expect(await runFault(fault, open)).toMatch(/\S/)
    },
  )
})
