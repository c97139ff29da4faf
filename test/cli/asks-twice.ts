import { ask } from '../../src/cli/ask.ts'
import { CapstanError } from '../../src/errors.ts'

const io = {
  out: () => Promise.resolve(),
  err: (text: string) => void process.stderr.write(text),
  readStdin: () => Promise.resolve(''),
  env: process.env,
  cwd: process.cwd(),
  stdoutIsTerminal: process.stdout.isTTY,
  stderrIsTerminal: process.stderr.isTTY,
  stdinIsTerminal: process.stdin.isTTY,
  columns: 80,
}

try {
  const name = await ask(io, 'Name?')
  const token = await ask(io, 'Token?', { hidden: true })
  process.stderr.write(`<${name}|${token.length}>\n`)
} catch (error) {
  process.stderr.write(error instanceof CapstanError ? `<${error.code}>\n` : String(error))
}
