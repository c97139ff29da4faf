import { describe, expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { makers, textOf } from './makers.ts'

const where = { server: 'one', tool: 'where' }
const folders = { roots: [{ uri: 'file:///somewhere', name: 'somewhere' }] }

describe.each(makers)('%s', (_name, open) => {
  test.each(['legacy', 'modern'])('tells a %s server the folders of its caller, if it may know them', async (era) => {
    const entry = fixture('asks', { args: era === 'legacy' ? ['legacy'] : [] })
    await using hub = await open({ one: { ...entry, roots: true } })
    await using closed = await open({ one: entry })
    const onRoots = async () => folders

    const told = await hub.call(where, {}, { onRoots })
    const fallback = await hub.call(where, {}, { onRoots: () => Promise.reject(new Error('I forgot')) })
    const refused = await closed.call(where, {}, { onRoots }).catch((error: unknown) => error)

    expect(JSON.parse(textOf(told))).toEqual(folders)
    expect(textOf(fallback)).toContain(hub.home)
    expect(JSON.stringify(refused)).not.toContain('somewhere')
  })
})
