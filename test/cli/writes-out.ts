// Writes as many characters as each argument says to an output, one after the other, and ends when all has left.
import { openOutput } from '../../src/cli/output.ts'

const output = openOutput(1)
for (const [index, size] of process.argv.slice(2).entries()) await output.write(String(index).repeat(Number(size)))
process.exit(0)
