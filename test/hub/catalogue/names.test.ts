import { describe, expect, test } from 'vitest'
import type { Catalogue, ToolEntry } from '../../../src/hub/api.ts'
import { findPrompt, findTool, modelNames, serversNamedIn } from '../../../src/hub/catalogue/names.ts'

function tool(server: string, name: string): ToolEntry {
  const ref = { server, tool: name }
  return {
    ...ref,
    id: `${server}.${name}`,
    modelName: modelNames([ref]).get(ref) ?? '',
    inputSchema: { type: 'object' },
  }
}

function catalogueOf(tools: readonly ToolEntry[], prompts: Catalogue['prompts'] = []): Catalogue {
  return { tools, prompts, resources: [], templates: [], servers: [] }
}

describe('the names models see', () => {
  test('are server__tool where that is safe', () => {
    expect(tool('github', 'create_issue').modelName).toBe('github__create_issue')
  })

  test('are never longer than 64 and stay distinct when the difference stands at the end', () => {
    const long = tool('server', 'a'.repeat(80))
    const other = tool('server', `${'a'.repeat(79)}b`)

    expect(long.modelName).toHaveLength(64)
    expect(other.modelName).toHaveLength(64)
    expect(long.modelName).not.toBe(other.modelName)
  })

  test('just fit at 64 characters without a suffix', () => {
    const exact = tool('s', 't'.repeat(61))

    expect(exact.modelName).toBe(`s__${'t'.repeat(61)}`)
  })

  test('do not depend on which other tools are there', () => {
    const dotted = { server: 's', tool: 'same.name' }
    const slashed = { server: 's', tool: 'same/name' }

    const alone = modelNames([dotted]).get(dotted)
    const together = modelNames([dotted, slashed])

    expect(together.get(dotted)).toBe(alone)
    expect(together.get(slashed)).not.toBe(alone)
  })

  test('are told apart when server and tool run together', () => {
    const one = { server: 'a__b', tool: 'c' }
    const two = { server: 'a', tool: 'b__c' }

    const names = modelNames([one, two])

    expect(names.get(one)).not.toBe(names.get(two))
  })
})

describe('a typed name', () => {
  const catalogue = catalogueOf(
    [
      tool('web', 'fetch'),
      tool('web.v2', 'fetch'),
      tool('web', 'v2.fetch'),
      tool('git', 'log.short'),
      tool('git', 'status'),
    ],
    [{ server: 'git', prompt: 'review', id: 'git:review' }],
  )

  test.each([
    ['git.status', 'git.status'],
    ['mcp.git.status', 'git.status'],
    ['git/status', 'git.status'],
    ['git__status', 'git.status'],
    ['status', 'git.status'],
    ['git.log.short', 'git.log.short'],
    ['log.short', 'git.log.short'],
  ])('%s means %s', (typed, id) => {
    expect(findTool(catalogue, typed).id).toBe(id)
  })

  test('that fits two tools is refused with both names', () => {
    expect(() => findTool(catalogue, 'web.v2.fetch')).toThrow(/Several tools.*web\.v2\.fetch/)
    expect(() => findTool(catalogue, 'fetch')).toThrow('web.fetch, web.v2.fetch')
  })

  test('that fits nothing is answered with the closest', () => {
    expect(() => findTool(catalogue, 'git.statsu')).toThrow('Closest: git.status')
  })

  test.each(['git:review', '/git:review', 'git.review', 'git/review', 'review'])('%s means the prompt', (typed) => {
    expect(findPrompt(catalogue, typed).id).toBe('git:review')
  })

  test('names the servers it may belong to without being split', () => {
    const servers = ['web', 'web-v2', 'git', 'a']

    expect(serversNamedIn('web.v2.fetch', servers)).toEqual(['web'])
    expect(serversNamedIn('mcp.git/x', servers)).toEqual(['git'])
    expect(serversNamedIn('fetch', servers)).toEqual([])
  })
})
