#!/usr/bin/env node
// This file must parse on any old Node, so that the person gets a sentence and not a syntax error.
import module from 'node:module'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `capstan needs Node 22.19 or newer; this is Node ${process.versions.node}. Install a current Node and try again.\n`,
  )
  process.exit(2)
}
module.enableCompileCache?.()
void import('./start.ts').then(({ start }) => start())
