import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inputsFile, openInputs, type InputQuestion } from '../../src/config/inputs.ts'
import { tempFolder } from './temp-folder.ts'

const request = { id: 'key', server: 'x', file: '/a/mcp.json' }

test('an answer is asked for once and kept, readable by its owner alone', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'state/capstan/inputs.json')
  const questions: InputQuestion[] = []
  const declaration = { id: 'key', file: '/a/mcp.json', isSecret: true, description: 'The key' }
  const ask = async (question: InputQuestion) => (questions.push(question), 's3cret')

  const first = await openInputs({ file, ask, declarations: [declaration] })(request)
  const second = await openInputs({ file, ask })(request)

  expect([first, second]).toEqual(['s3cret', 's3cret'])
  expect(questions).toEqual([{ ...request, declaration }])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('the same id in another file is another input', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'inputs.json')
  await openInputs({ file, ask: async () => 'for a' })(request)

  const other = await openInputs({ file })({ ...request, file: '/b/.mcp.json' })

  expect(other).toBeUndefined()
})

test('where nobody can be asked, a missing answer is undefined and nothing is written', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'inputs.json')

  expect(await openInputs({ file })(request)).toBeUndefined()
  await expect(stat(file)).rejects.toThrow(/ENOENT/)
})

test('servers that start together lead to one question per input, one at a time', async () => {
  await using folder = await tempFolder()
  const open: string[] = []
  const seen: string[] = []
  const ask = async ({ id }: InputQuestion) => {
    open.push(id)
    seen.push(open.join('+'))
    await new Promise(setImmediate)
    open.pop()
    return `answer to ${id}`
  }
  const inputs = openInputs({ file: join(folder.path, 'inputs.json'), ask })

  const answers = await Promise.all(['a', 'b', 'a'].map((id, n) => inputs({ ...request, id, server: `s${n}` })))

  expect(answers).toEqual(['answer to a', 'answer to b', 'answer to a'])
  expect(seen.sort()).toEqual(['a', 'b'])
})

test('a question that is cancelled is asked again next time', async () => {
  await using folder = await tempFolder()
  const answers = ['cancel', 'yes']
  const ask = async () => {
    const answer = answers.shift() ?? ''
    if (answer === 'cancel') throw new Error('cancelled')
    return answer
  }
  const inputs = openInputs({ file: join(folder.path, 'inputs.json'), ask })

  await expect(inputs(request)).rejects.toThrow('cancelled')

  expect(await inputs(request)).toBe('yes')
})

test('a store that cannot be read is named and left as it is', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'inputs.json': '{"answers": ' })
  const file = join(folder.path, 'inputs.json')

  await expect(openInputs({ file, ask: async () => 'x' })(request)).rejects.toMatchObject({ code: 'config_invalid' })

  expect(await readFile(file, 'utf8')).toBe('{"answers": ')
})

test('answers are kept in the state folder', () => {
  expect(inputsFile({ HOME: '/home/ada' })).toBe('/home/ada/.local/state/capstan/inputs.json')
})
