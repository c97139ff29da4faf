import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBrowser } from '../../src/cli/open-browser.ts'
import { scratchFolder } from '../hub/scratch-folder.ts'

/** A browser that writes down what it was started with, and ends as it is told. */
async function browser(exitCode = 0) {
  const folder = await scratchFolder()
  const program = join(folder, 'browser.mjs')
  const seen = join(folder, 'seen.json')
  const text = `#!${process.execPath}
import { writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.argv.slice(2)))
process.exitCode = ${exitCode}
`
  await writeFile(program, text)
  await chmod(program, 0o755)
  const args = async () => JSON.parse(await readFile(seen, 'utf8').catch(() => 'null')) as unknown
  return { program, args }
}

const env = { PATH: process.env['PATH'] }

test('the address reaches the browser as one argument, whatever a shell would make of it', async () => {
  const { program, args } = await browser()
  const address = 'https://login.example/authorize?a=$(touch%20x)&b=`id`;echo&c=%22|cat'

  expect(await openBrowser(address, { env: { ...env, BROWSER: program } })).toBe(true)

  expect(await args()).toEqual([new URL(address).href])
})

test('$BROWSER may have arguments, and %s for the address', async () => {
  const { program, args } = await browser()

  await openBrowser('https://login.example/', { env: { ...env, BROWSER: `${program} --new-window "--at=%s"` } })

  expect(await args()).toEqual(['--new-window', '--at=https://login.example/'])
})

test('when one browser does not work the next one is tried', async () => {
  const [broken, works] = [await browser(3), await browser()]

  const isOpen = await openBrowser('https://login.example/', {
    env: { ...env, BROWSER: `/nowhere/browser:${broken.program}:${works.program}` },
  })

  expect(isOpen).toBe(true)
  expect(await works.args()).toEqual(['https://login.example/'])
})

test.each([
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'ms-settings:',
  'calc.exe',
  '$(calc)',
  '--help',
  '',
])('%j is not opened', async (address) => {
  const { program, args } = await browser()

  expect(await openBrowser(address, { env: { ...env, BROWSER: program } })).toBe(false)

  expect(await args()).toBeNull()
})

test('without a screen nothing is tried', async () => {
  expect(await openBrowser('https://login.example/', { env, platform: 'linux' })).toBe(false)
})
