import { expect, test } from 'vitest'
import { Semaphore } from './semaphore.ts'

const stays = new AbortController().signal

test('lets so many in at a time, and the next when one has left, in their order', async () => {
  const slots = new Semaphore(2)
  const entered: string[] = []
  const enter = async (name: string, signal: AbortSignal = stays) => {
    const leave = await slots.acquire(signal)
    entered.push(name)
    return leave
  }
  const first = await enter('a')
  const second = await enter('b')
  const third = enter('c')
  const left = new AbortController()
  const givenUp = enter('d', left.signal)
  const last = enter('e')
  left.abort(new Error('left'))
  await expect(givenUp).rejects.toThrow('left')
  expect(entered).toEqual(['a', 'b'])
  first()
  first()
  const leaveThird = await third
  expect(entered).toEqual(['a', 'b', 'c'])
  second()
  leaveThird()
  await last
  expect(entered).toEqual(['a', 'b', 'c', 'e'])
})
