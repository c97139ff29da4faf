import { readFile, writeFile } from 'node:fs/promises'
import { withLock } from '../../src/files/lock.ts'

const [, , file = '', times = '1'] = process.argv
for (let done = 0; done < Number(times); done++) {
  await withLock(
    file,
    async () => {
      const count = Number(await readFile(file, 'utf8'))
      await writeFile(file, String(count + 1))
    },
    { waitMs: 60_000 },
  )
}
