import { describe, expect, it } from 'vitest'
import type { Caller } from '../caller.ts'
import { ItemTurns } from './item-turns.ts'

const settled = (promise: Promise<unknown>) =>
  Promise.race([
    promise.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ])

describe('Turns of transactions', () => {
  it('come one after the other for the same items, in the order in which they were taken', async () => {
    const turns = new ItemTurns()
    const first = turns.take(['a', 'b'])
    const other = turns.take(['c'])
    const second = turns.take(['b', 'a'])
    const third = turns.take(['c', 'b'])
    expect([first.ready, other.ready]).toEqual([undefined, undefined])
    other.end()
    expect(await settled(second.ready!)).toBe(false)
    first.end()
    expect(await settled(second.ready!)).toBe(true)
    expect(second.ready).toBeUndefined()
    expect(await settled(third.ready!)).toBe(false)
    second.end()
    expect(await settled(third.ready!)).toBe(true)
    third.end()
    await settled(Promise.resolve())
    expect(turns.take(['a', 'b', 'c']).ready).toBeUndefined()
  })

  it('stay in order where one gives up', async () => {
    const turns = new ItemTurns()
    const first = turns.take(['a'])
    const second = turns.take(['a'])
    const third = turns.take(['a'])
    const left = new AbortController()
    const waiting = turns.wait(second, { signal: left.signal } as Caller)
    left.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    second.end()
    expect(await settled(third.ready!)).toBe(false)
    first.end()
    await turns.wait(third, undefined)
    expect(third.ready).toBeUndefined()
  })
})
