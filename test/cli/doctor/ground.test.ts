import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkGround } from '../../../src/cli/doctor/check-ground.ts'
import { findCommand } from '../../../src/cli/doctor/find-command.ts'
import { places } from '../../../src/files/places.ts'
import { tempFolder } from '../../config/temp-folder.ts'

const isWindows = process.platform === 'win32'

test.skipIf(isWindows)('a command is found on the PATH it is given, and only when it can be run', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'bin/server': '#!/bin/sh\n', 'bin/text': 'x', 'bin/folder/': '' })
  await chmod(join(folder.path, 'bin/server'), 0o755)
  const place = { cwd: folder.path, env: { PATH: `/nowhere:${folder.path}/bin` }, platform: process.platform }

  expect(await findCommand('server', place)).toBe(join(folder.path, 'bin/server'))
  expect(await findCommand('./bin/server', place)).toBe(join(folder.path, 'bin/server'))
  expect(await findCommand('text', place)).toBeUndefined()
  expect(await findCommand('folder', place)).toBeUndefined()
  expect(await findCommand('server', { ...place, env: {} })).toBeUndefined()
})

test.skipIf(isWindows)(
  'a state folder that others can look into is a problem with the command that mends it',
  async () => {
    await using home = await tempFolder()
    await home.write({ '.local/state/capstan/': '', '.config/capstan/': '' })
    await chmod(join(home.path, '.local/state/capstan'), 0o755)

    const report = await checkGround({
      nodeVersion: '24.1.0',
      platform: 'linux',
      places: places({ HOME: home.path }),
      config: { files: [{ path: '/x/mcp.json', layer: 'user' }], warnings: [] },
    })

    expect(report.findings).toEqual([
      {
        level: 'problem',
        what: `Others on this machine can look into ${home.path}/.local/state/capstan.`,
        mend: `Run: chmod 700 ${home.path}/.local/state/capstan`,
      },
    ])
    expect(report.facts).toContainEqual({ label: 'config', value: '/x/mcp.json (user)' })
  },
)

test('an old Node, a broken config and its warnings are problems', async () => {
  const ground = { platform: process.platform, places: places({ HOME: '/nowhere' }) }

  const old = await checkGround({ ...ground, nodeVersion: '20.9.0', configProblem: { message: 'mcp.json:3:1: bad' } })
  const warned = await checkGround({ ...ground, nodeVersion: '22.19.0', config: { files: [], warnings: ['misspelt'] } })

  expect(old.findings.map((finding) => finding.what)).toEqual(['Node 20.9.0 is too old.', 'mcp.json:3:1: bad'])
  expect(warned.findings.map((finding) => finding.what)).toEqual(['misspelt'])
})
