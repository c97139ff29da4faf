import { describe, expect, test } from 'vitest'
import { promptLayers, promptsFolder } from '../../src/prompts/prompt-layers.ts'
import { promptOf } from './makers.ts'

const env = { HOME: '/home/me' }
const base = { env, currentFolder: '/here', builtins: [] }

describe("the user's folder", () => {
  test.each([
    [{}, '/home/me/.local/share/capstan/prompts'],
    [{ env: { ...env, XDG_DATA_HOME: '/data' } }, '/data/capstan/prompts'],
    [{ settings: { dir: 'notes/prompts' } }, '/home/me/notes/prompts'],
    [{ settings: { dir: '~/prompts' } }, '/home/me/prompts'],
    [{ settings: { dir: '/srv/prompts' } }, '/srv/prompts'],
    [{ env: { ...env, CAPSTAN_PROMPTS_DIR: '~/from-env' }, settings: { dir: 'x' } }, '/home/me/from-env'],
    [{ env: { ...env, CAPSTAN_PROMPTS_DIR: '' }, settings: { dir: 'x' } }, '/home/me/x'],
    [{ env: { ...env, CAPSTAN_PROMPTS_DIR: '/env' }, promptsDir: 'flag' }, '/here/flag'],
    [{ promptsDir: '~' }, '/home/me'],
  ])('is for %j the folder %s', (options, folder) => {
    expect(promptsFolder({ ...base, ...options })).toBe(folder)
  })
})

test('the layers come weakest first, and a flag for the folder leaves the project where it is', () => {
  const layers = promptLayers({
    ...base,
    builtins: [promptOf('x')],
    promptsDir: '/flag',
    settings: { extra: ['/srv/team', '~/user', '/other/team', '/third/team'] },
    projectRoot: '/here/project',
  })

  expect(layers.map(({ name, kind, file }) => [name, kind, file])).toEqual([
    ['builtin', 'builtin', '/flag/default.jsonl'],
    ['user', 'user', '/flag/user.jsonl'],
    ['team', 'team', '/srv/team/prompts.jsonl'],
    ['user-2', 'team', '/home/me/user/prompts.jsonl'],
    ['team-2', 'team', '/other/team/prompts.jsonl'],
    ['team-3', 'team', '/third/team/prompts.jsonl'],
    ['project', 'project', '/here/project/.capstan/prompts/prompts.jsonl'],
  ])
})

test('what is built in can be left out, and a project that nobody trusts is', () => {
  const layers = promptLayers({ ...base, settings: { includeBuiltin: false } })

  expect(layers.map(({ name }) => name)).toEqual(['user'])
})
