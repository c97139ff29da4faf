import { expect, test } from 'vitest'
import { createSlots } from '../../src/sandbox/slots.ts'

const never = new AbortController().signal

test('whoever comes when all places are taken gets the next free one, in order', async () => {
  const slots = createSlots(1)
  const entered: string[] = []
  await slots.take(never)
  const waiting = ['first', 'second'].map((name) => slots.take(never).then(() => entered.push(name)))

  slots.free()
  await waiting[0]
  const afterOne = [...entered]
  slots.free()
  await waiting[1]

  expect(afterOne).toEqual(['first'])
  expect(entered).toEqual(['first', 'second'])
})

test('whoever gives up waiting leaves the line, and takes no place from others', async () => {
  const slots = createSlots(1)
  const impatient = new AbortController()
  await slots.take(never)
  const given = slots.take(impatient.signal)
  const patient = slots.take(never)

  impatient.abort()
  slots.free()

  expect(await given).toBe(false)
  expect(await patient).toBe(true)
  expect(await slots.take(AbortSignal.abort())).toBe(false)
})
