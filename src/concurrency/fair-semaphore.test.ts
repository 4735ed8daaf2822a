import { describe, expect, it } from 'vitest'
import { FairSemaphore } from './fair-semaphore.ts'

describe('FairSemaphore', () => {
  it('lets clients take turns', async () => {
    const semaphore = new FairSemaphore(1)
    const first = await semaphore.acquire('a', {})
    const order: string[] = []
    const tasks = ['a', 'a', 'a', 'b'].map(async (client) => {
      const release = await semaphore.acquire(client, {})
      order.push(client)
      release()
    })
    first()
    await Promise.all(tasks)
    expect(order.indexOf('b')).toBeLessThan(2)
  })

  it('forgets who does not wait any more, and loses no permit', async () => {
    const semaphore = new FairSemaphore(1)
    const release = await semaphore.acquire('a', {})
    const late = new Error('late')
    await expect(semaphore.acquire('b', { timeoutMs: 1, timeoutError: () => late })).rejects.toBe(
      late,
    )
    const client = new AbortController()
    const left = semaphore.acquire('c', { waiter: { signal: client.signal } })
    client.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(semaphore.queueLength).toBe(0)
    let isIdle = false
    const idle = semaphore.idle().then(() => {
      isIdle = true
    })
    await Promise.resolve()
    expect(isIdle).toBe(false)
    release()
    await idle
    expect(semaphore.isFreeFor('a')).toBe(true)
  })
})
