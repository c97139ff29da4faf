import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProject } from '../../src/config/project.ts'
import { tempFolder } from './temp-folder.ts'

test('the nearest .mcp.json wins over one nearer to the repository root', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'repo/.git/': '', 'repo/.mcp.json': '{}', 'repo/app/.mcp.json': '{}', 'repo/app/src/deep/': '' })

  const project = await findProject(join(folder.path, 'repo/app/src/deep'), folder.path)

  expect(project).toEqual({ root: join(folder.path, 'repo/app'), file: join(folder.path, 'repo/app/.mcp.json') })
})

test('a .mcp.json above the repository root is never used', async () => {
  await using folder = await tempFolder()
  await folder.write({ '.mcp.json': '{}', 'repo/.git/': '', 'repo/src/': '' })

  const project = await findProject(join(folder.path, 'repo/src'), folder.path)

  expect(project).toEqual({ root: join(folder.path, 'repo') })
})

test('a worktree, whose .git is a file, is a repository too', async () => {
  await using folder = await tempFolder()
  await folder.write({ '.mcp.json': '{}', 'tree/.git': 'gitdir: elsewhere', 'tree/src/': '' })

  expect(await findProject(join(folder.path, 'tree/src'), folder.path)).toEqual({ root: join(folder.path, 'tree') })
})

test('without a repository, parents count only while they are below home', async () => {
  await using folder = await tempFolder()
  await folder.write({ '.mcp.json': '{}', 'home/.mcp.json': '{}', 'home/desk/.mcp.json': '{}', 'home/desk/a/b/': '' })
  await folder.write({ 'home/other/': '', 'outside/.mcp.json': '{}', 'outside/x/': '' })
  const find = (cwd: string) => findProject(join(folder.path, cwd), join(folder.path, 'home'))

  expect((await find('home/desk/a/b')).root).toBe(join(folder.path, 'home/desk'))
  expect(await find('home/other')).toEqual({ root: join(folder.path, 'home/other') })
  expect(await find('outside/x')).toEqual({ root: join(folder.path, 'outside/x') })
})

test('without a repository, the current folder itself counts wherever it is', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'outside/.mcp.json': '{}', 'home/': '' })

  const project = await findProject(join(folder.path, 'outside'), join(folder.path, 'home'))

  expect(project.file).toBe(join(folder.path, 'outside/.mcp.json'))
})

test('a folder named .mcp.json is no project file', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'repo/.git/': '', 'repo/.mcp.json/': '' })

  expect(await findProject(join(folder.path, 'repo'), folder.path)).toEqual({ root: join(folder.path, 'repo') })
})
