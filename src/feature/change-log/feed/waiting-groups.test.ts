import { expect, it, vi } from 'vitest'
import type { ChangeWait, SharedPart } from '../../../operation/changes/change-feed.ts'
import { Deliveries } from './deliveries.ts'
import { SharedWaits } from './shared-waits.ts'

/** Its positions are the numbers of changes; those in `visible` have a text. */
function fakeFeed(visible: ReadonlySet<number>) {
  let end = 0
  let arrivals = 0
  const wakes = new Set<() => void>()
  const wait = (counted: number): ChangeWait => {
    let settle: (isChanged: boolean) => void = () => {}
    const ended = new Promise<boolean>((resolve) => {
      settle = resolve
    })
    const wake = () => settle(true)
    wakes.add(wake)
    if (counted !== arrivals) wake()
    return { ended, end: () => settle(false) }
  }
  const feed = {
    get arrivals() {
      return arrivals
    },
    wait,
  }
  const write = async () => {
    end++
    arrivals++
    for (const wake of wakes) wake()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const read = vi.fn(async (after: string): Promise<SharedPart> => {
    for (let number = Number(after) + 1; number <= end; number++)
      if (visible.has(number)) return { text: `change ${number}`, next: `${number}`, isEnd: false }
    return { text: '', next: `${end}`, isEnd: true }
  })
  return { waits: new SharedWaits(feed, new Deliveries()), write, read }
}

it('reads once for all who wait for the same, and wakes them where they see something', async () => {
  const { waits, write, read } = fakeFeed(new Set([3]))
  const all = Array.from({ length: 100 }, () => waits.wait('key', '0', read))
  const settled = vi.fn()
  for (const { ended } of all) void ended.then(settled)
  await write()
  await write()
  expect(settled).not.toHaveBeenCalled()
  await write()
  const parts = await Promise.all(all.map(({ ended }) => ended))
  expect(new Set(parts.map((part) => part?.text))).toEqual(new Set(['change 3']))
  expect(read.mock.calls.map(([after]) => after)).toEqual(['0', '0', '1', '2'])
})

it('joins those who come to one position from several', async () => {
  const { waits, write, read } = fakeFeed(new Set([3]))
  const first = waits.wait('key', '0', read)
  await write()
  const second = waits.wait('key', '0', read)
  const third = waits.wait('key', '1', read)
  await write()
  read.mockClear()
  await write()
  for (const { ended } of [first, second, third]) expect((await ended)?.text).toBe('change 3')
  expect(read).toHaveBeenCalledOnce()
})

it('goes on where the one leaves or fails that read for others', async () => {
  const { waits, write, read } = fakeFeed(new Set([1]))
  const failing = waits.wait('key', '0', () => Promise.reject(new Error('aborted')))
  const leaving = waits.wait('key', '0', read)
  const staying = waits.wait('key', '0', read)
  leaving.end()
  expect(await leaving.ended).toBeUndefined()
  await expect(failing.ended).rejects.toThrow('aborted')
  await write()
  expect((await staying.ended)?.text).toBe('change 1')
})

it('ends all waits at once', async () => {
  const { waits, read } = fakeFeed(new Set())
  const all = ['a', 'b'].map((key) => waits.wait(key, '0', read))
  waits.end()
  for (const { ended } of all) expect(await ended).toBeUndefined()
})

it('leaves nobody behind where the last one leaves while it reads what it does not see', async () => {
  const { waits, write, read } = fakeFeed(new Set([2]))
  await write()
  const leaving = waits.wait('key', '0', async (after) => {
    const part = await read(after)
    leaving.end()
    return part
  })
  expect(await leaving.ended).toBeUndefined()
  await new Promise(setImmediate)
  const staying = waits.wait('key', '1', read)
  await write()
  expect((await staying.ended)?.text).toBe('change 2')
})
