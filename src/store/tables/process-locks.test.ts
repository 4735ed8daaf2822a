import { describe, expect, it } from 'vitest'
import type { StoreCall } from '../store-call.ts'
import { StoreOverloaded } from '../store-failures.ts'
import { maxWaitingLocks, type ProcessLock, ProcessLocks } from './process-locks.ts'

/** Releases each lock when it is held, and returns the clients in the order of their turns. */
async function turnsOf(locks: readonly ProcessLock[]): Promise<string> {
  let turns = ''
  await Promise.all(
    locks.map(async (lock) => {
      await lock.ready
      turns += lock.client
      lock.release()
    }),
  )
  return turns
}

describe('Locks within a process', () => {
  it('are held one after the other for the same items, in the order of their requests', () => {
    const locks = new ProcessLocks()
    const first = locks.request(['a', 'b', 'a'])
    const other = locks.request(['c'])
    const second = locks.request(['b', 'a'])
    const third = locks.request(['c', 'b'])
    const held = () => [first, other, second, third].map(({ isHeld }) => isHeld)
    expect(held()).toEqual([true, true, false, false])
    other.release()
    expect(held()).toEqual([true, false, false, false])
    first.release()
    expect(held()).toEqual([false, false, true, false])
    second.release()
    second.release()
    expect(held()).toEqual([false, false, false, true])
    third.release()
    expect(locks.request(['a', 'b', 'c']).isHeld).toBe(true)
  })

  it('are held in this order where a transaction gives up waiting', async () => {
    const locks = new ProcessLocks()
    const first = locks.request(['a'])
    const second = locks.request(['a'])
    const third = locks.request(['a'])
    const left = new AbortController()
    const waiting = locks.wait(second, { signal: left.signal } as StoreCall)
    left.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    second.release()
    expect(third.isHeld).toBe(false)
    first.release()
    await locks.wait(third, undefined)
    expect(third.isHeld).toBe(true)
  })

  it('come to clients in turns, by the number of items', async () => {
    const locks = new ProcessLocks()
    const requests = [
      ...['m', 'm', 'm', 'm'].map((client) => locks.request(['a', 'b'], client)),
      ...['s', 's', 's'].map((client) => locks.request(['b'], client)),
    ]
    expect(await turnsOf(requests)).toBe('mssmsmm')
  })

  it('come to everyone, whoever else comes', () => {
    const locks = new ProcessLocks()
    let held = locks.request(['a'], 'new')
    let waiting = Array.from({ length: 10 }, () => locks.request(['a', 'b'], 'much'))
    let turns = 0
    for (; waiting.some(({ client }) => client === 'much') && turns < 500; turns++) {
      waiting.push(locks.request(['a'], `new ${turns}`))
      held.release()
      held = waiting.find(({ isHeld }) => isHeld)!
      waiting = waiting.filter((lock) => lock !== held)
    }
    expect(turns).toBeLessThan(150)
  })

  it('leave room for other clients, of which one has the most that wait', async () => {
    const locks = new ProcessLocks()
    const first = locks.request(['a'], 'many')
    const waiting: ProcessLock[] = []
    const fill = (client: string): number => {
      const before = waiting.length
      try {
        for (;;) waiting.push(locks.request(['a'], client))
      } catch (error) {
        expect(error).toBeInstanceOf(StoreOverloaded)
      }
      return waiting.length - before
    }
    expect([fill('many'), fill('more'), fill('many')]).toEqual([
      maxWaitingLocks / 2,
      maxWaitingLocks / 4,
      0,
    ])
    expect(locks.request(['b'], 'many').isHeld).toBe(true)
    const own = locks.request(['a'], 'one')
    first.release()
    expect((await turnsOf([...waiting, own])).replaceAll(/many|more/g, '.').indexOf('one')).toBe(1)
    expect(fill('many')).toBe(maxWaitingLocks / 2 + 1)
  })
})
