import { writeFileAtomic } from '../../src/files/atomic-write.ts'

const [, , file = ''] = process.argv
for (let round = 0; ; round++) {
  await writeFileAtomic(file, (round % 2 === 0 ? 'b' : 'a').repeat(1_000_000))
  if (round === 2) process.send?.('started')
}
