import { withLock } from '../../src/files/lock.ts'

const [, , file = ''] = process.argv
await withLock(file, async () => {
  process.send?.('held')
  await new Promise((resolve) => process.once('message', resolve))
})
process.disconnect()
