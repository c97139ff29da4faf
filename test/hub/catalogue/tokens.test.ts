import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { estimateTokens, toolTokens } from '../../../src/hub/catalogue/tokens.ts'
import type { ToolEntry } from '../../../src/hub/api.ts'
import { publishedTools } from '../../cli/published-tools.ts'

let folder: string
let tools: readonly ToolEntry[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'capstan-tokens-'))
  tools = (await publishedTools(folder)).tools
})

afterAll(async () => rm(folder, { recursive: true, force: true }))

function counted({ modelName: name, description, inputSchema: parameters }: ToolEntry): number {
  return encode(JSON.stringify({ name, description, parameters })).length
}

test('the estimate for all tools of the published servers is within 10% of a real tokenizer', () => {
  const estimated = tools.reduce((sum, tool) => sum + toolTokens(tool), 0)
  const real = tools.reduce((sum, tool) => sum + counted(tool), 0)

  expect(Math.abs(estimated / real - 1)).toBeLessThanOrEqual(0.1)
})

test('the estimate for each of these tools is within 25% of a real tokenizer', () => {
  const off = tools.filter((tool) => Math.abs(toolTokens(tool) / counted(tool) - 1) > 0.25)

  expect(tools.length).toBeGreaterThan(30)
  expect(off.map((tool) => tool.id)).toEqual([])
})

test.each([
  ['English', 'Reads the whole content of a file from disk and returns it as text, or fails when there is none.'],
  ['German', 'Liest den gesamten Inhalt einer Datei. Wenn die Datei nicht existiert, wird ein Fehler zurückgegeben.'],
  ['Russian', 'Читает всё содержимое файла. Если файла нет, возвращает ошибку с описанием.'],
  ['Chinese', '读取文件的全部内容。如果文件不存在则返回错误。支持多种编码格式，并可以指定行数。'],
  ['Japanese', 'ファイルの内容を読み取ります。存在しない場合はエラーを返します。'],
])('%s is estimated within 25%', (_, text) => {
  expect(Math.abs(estimateTokens(text) / encode(text).length - 1)).toBeLessThanOrEqual(0.25)
})

test('nothing costs nothing', () => {
  expect(estimateTokens('')).toBe(0)
})
