import { expect, test } from 'vitest'
import { Semaphore } from './semaphore.ts'

test('lets a number of tasks run at a time, and the next one when one ends, in their order', async () => {
  const semaphore = new Semaphore(2)
  const entered: string[] = []
  const enter = async (name: string, signal?: AbortSignal) => {
    const release = await semaphore.acquire({ waiter: { signal } })
    entered.push(name)
    return release
  }
  const releaseA = await enter('a')
  const releaseB = await enter('b')
  const c = enter('c')
  const client = new AbortController()
  const d = enter('d', client.signal)
  const e = enter('e')
  client.abort(new Error('left'))
  await expect(d).rejects.toThrow('left')
  expect(entered).toEqual(['a', 'b'])
  expect(semaphore.queueLength).toBe(2)
  releaseA()
  releaseA()
  const releaseC = await c
  expect(entered).toEqual(['a', 'b', 'c'])
  releaseB()
  releaseC()
  await e
  expect(entered).toEqual(['a', 'b', 'c', 'e'])
  expect(semaphore.isFree).toBe(true)
})

test('throws the timeout error where a permit takes too long', async () => {
  const semaphore = new Semaphore(1)
  const release = await semaphore.acquire({})
  const late = semaphore.acquire({ timeoutMs: 5, timeoutError: () => new Error('too long') })
  await expect(late).rejects.toThrow('too long')
  expect(semaphore.queueLength).toBe(0)
  release()
  expect(semaphore.isFree).toBe(true)
})

test('loses no permit that arrives at the moment at which its waiter leaves', async () => {
  const semaphore = new Semaphore(1)
  const release = await semaphore.acquire({})
  const client = new AbortController()
  const waiting = semaphore.acquire({ waiter: { signal: client.signal } })
  release()
  client.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
  expect(semaphore.isFree).toBe(true)
})
