import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownProgram, ownShellCommand } from '../../src/cli/connect-program.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { person } from './person.ts'

const inPackage = join('node_modules', 'capstan', 'dist', 'cli', 'bin.js')

function io(script: string, cwd: string) {
  return { ...person({ cwd }).io, script }
}

test('a clone that npx ran is started from the clone: the registry may have another program of this name', async () => {
  await using folder = await tempFolder()
  const cache = join(folder.path, '_npx', '75e0f2cb46439dd7')
  await folder.write({ 'clone/dist/cli/bin.js': '' })
  await mkdir(join(cache, 'node_modules'), { recursive: true })
  await symlink(join(folder.path, 'clone'), join(cache, 'node_modules', 'capstan'))

  const program = await ownProgram(io(join(cache, inPackage), folder.path), '1.2.3')

  expect(program).toMatchObject({ args: [join(folder.path, 'clone', 'dist', 'cli', 'bin.js')], isTemporary: false })
})

test('a tarball that npx ran is named by its file', async () => {
  await using folder = await tempFolder()
  await folder.write({
    [join('_npx', '12', 'package.json')]: JSON.stringify({ dependencies: { capstan: 'file:../../capstan-1.2.3.tgz' } }),
    [join('_npx', '12', inPackage)]: '',
  })
  const own = io(join(folder.path, '_npx', '12', inPackage), folder.path)

  const program = await ownProgram(own, '1.2.3')

  const spec = `file:${join(folder.path, 'capstan-1.2.3.tgz')}`
  expect(program).toMatchObject({ args: ['-y', spec], isTemporary: true })
  expect(await ownShellCommand(own, program)).toBe(`npx -y ${spec}`)
})

test.each([
  ['of the registry', JSON.stringify({ dependencies: { capstan: '^1.2.3' } })],
  ['of unknown origin', 'no JSON'],
])('a package %s that npx ran is named with its version', async (_origin, text) => {
  await using folder = await tempFolder()
  await folder.write({ [join('_npx', '12', 'package.json')]: text, [join('_npx', '12', inPackage)]: '' })
  const own = io(join(folder.path, '_npx', '12', inPackage), folder.path)

  const program = await ownProgram(own, '1.2.3')

  expect(program).toMatchObject({ args: ['-y', 'capstan@1.2.3'], isTemporary: true })
  expect(await ownShellCommand(own, program)).toBe('npx -y capstan')
})
