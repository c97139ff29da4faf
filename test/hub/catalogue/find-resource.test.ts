import { expect, test } from 'vitest'
import type { Catalogue } from '../../../src/hub/api.ts'
import { fitsTemplate, serversForResource } from '../../../src/hub/catalogue/find-resource.ts'

test.each([
  ['note://{id}', 'note://one', true],
  ['note://{id}', 'note://', false],
  ['note://{id}', 'note://one/two', false],
  ['note://{id}/text', 'note://one/text', true],
  ['note://{a}/{b}', 'note://one/two', true],
  ['file:///{+path}', 'file:///a/b/c.txt', true],
  ['file:///{+path}', 'file:///', false],
  ['page{#part}', 'page#top', true],
  ['search{?q,limit}', 'search', true],
  ['search{?q,limit}', 'search?q=x&limit=3', true],
  ['search{?q}', 'searching', false],
  ['search?fixed=1{&q}', 'search?fixed=1&q=2', true],
  ['root{/path}', 'root', true],
  ['root{/path}', 'root/a', true],
  ['root{/path}', 'rooted', false],
  ['file{.ext}', 'file.txt', true],
  ['{a}-{b}', 'x-y-z', true],
  ['a.b+c(d)', 'a.b+c(d)', true],
  ['a.b', 'axb', false],
  ['plain', 'plain', true],
  ['plain', 'plain2', false],
  ['', '', true],
  ['a{b', 'a{b', true],
  ['größe://{x}', 'größe://📏', true],
])('%j and %j: %j', (template, uri, fits) => {
  expect(fitsTemplate(template, uri)).toBe(fits)
})

test('a template made to take for ever takes no time', () => {
  const template = `x${'{+a}'.repeat(60)}!`
  const startedAt = performance.now()

  expect(fitsTemplate(template, `x${'a'.repeat(2000)}`)).toBe(false)

  expect(performance.now() - startedAt).toBeLessThan(1000)
})

test('a server that lists a resource comes before servers whose template fits it', () => {
  const catalogue: Catalogue = {
    tools: [],
    prompts: [],
    servers: [],
    resources: [{ server: 'lists', uri: 'note://one', name: 'one' }],
    templates: [
      { server: 'fits', uriTemplate: 'note://{id}', name: 'note' },
      { server: 'fits', uriTemplate: 'note:{+rest}', name: 'any' },
    ],
  }

  expect(serversForResource(catalogue, 'note://one')).toEqual(['lists'])
  expect(serversForResource(catalogue, 'note://two')).toEqual(['fits'])
  expect(serversForResource(catalogue, 'other://x')).toEqual([])
})
