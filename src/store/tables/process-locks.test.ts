import { describe, expect, it } from 'vitest'
import type { Caller } from '../caller.ts'
import { ProcessLocks } from './process-locks.ts'

const settled = (promise: Promise<unknown>) =>
  Promise.race([
    promise.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ])

describe('Locks within a process', () => {
  it('are held one after the other for the same items, in the order of their requests', async () => {
    const locks = new ProcessLocks()
    const first = locks.request(['a', 'b'])
    const other = locks.request(['c'])
    const second = locks.request(['b', 'a'])
    const third = locks.request(['c', 'b'])
    expect([first.ready, other.ready]).toEqual([undefined, undefined])
    other.release()
    expect(await settled(second.ready!)).toBe(false)
    first.release()
    expect(await settled(second.ready!)).toBe(true)
    expect(second.ready).toBeUndefined()
    expect(await settled(third.ready!)).toBe(false)
    second.release()
    expect(await settled(third.ready!)).toBe(true)
    third.release()
    await settled(Promise.resolve())
    expect(locks.request(['a', 'b', 'c']).ready).toBeUndefined()
  })

  it('are held in this order where a transaction gives up waiting', async () => {
    const locks = new ProcessLocks()
    const first = locks.request(['a'])
    const second = locks.request(['a'])
    const third = locks.request(['a'])
    const left = new AbortController()
    const waiting = locks.wait(second, { signal: left.signal } as Caller)
    left.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    second.release()
    expect(await settled(third.ready!)).toBe(false)
    first.release()
    await locks.wait(third, undefined)
    expect(third.ready).toBeUndefined()
  })
})
