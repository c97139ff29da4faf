#!/usr/bin/env node
// `capstan library serve` under a name of its own, for configs of clients that want one program. It must parse on any old Node.
import module from 'node:module'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `capstan-prompts needs Node 22.19 or newer; this is Node ${process.versions.node}. Install a current Node and try again.\n`,
  )
  process.exit(2)
}
module.enableCompileCache?.()
void import('./start.ts').then(({ start }) => start(['library', 'serve', ...process.argv.slice(2)]))
