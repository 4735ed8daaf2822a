import { expect, it, vi } from 'vitest'
import type { ChangeWait, SharedPart } from '../../../operation/changes/change-feed.ts'
import { Deliveries } from './deliveries.ts'
import { WaitingGroups } from './waiting-groups.ts'

type Read = (after: string) => Promise<SharedPart>

/** Its positions are the numbers of changes; those in `visible` have a text. */
function fakeTail(visible: ReadonlySet<number>, restMs = 0) {
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
  const tail = {
    get arrivals() {
      return arrivals
    },
    deliveries: new Deliveries(),
    restMs,
    wait,
  }
  const write = async () => {
    end++
    arrivals++
    for (const wake of wakes) wake()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const read = vi.fn(async (after: string): Promise<SharedPart> => {
    const texts: string[] = []
    for (let number = Number(after) + 1; number <= end; number++)
      if (visible.has(number)) texts.push(`change ${number}`)
    return { text: texts.join(), next: `${end}`, isEnd: true }
  })
  const groups = new WaitingGroups(tail)
  /** One who goes on after each part. */
  const follow = (after: string) => {
    const texts: string[] = []
    const take = (part: SharedPart | undefined) => {
      if (part) texts.push(part.text)
      if (part) queueMicrotask(() => member.waitAfter(part.next))
    }
    const member = groups.member('key', { read, take, fail: () => {} })
    member.waitAfter(after)
    return texts
  }
  const waitAfter = (after: string, readPart: Read = read, key = 'key') => {
    let end = () => {}
    const ended = new Promise<SharedPart | undefined>((take, fail) => {
      const member = groups.member(key, { read: readPart, take, fail })
      member.waitAfter(after)
      end = () => member.end()
    })
    return { ended, end }
  }
  return { groups, follow, waitAfter, write, read }
}

it('reads once for all who wait for the same, and wakes them where they see something', async () => {
  const { waitAfter, write, read } = fakeTail(new Set([3]))
  const all = Array.from({ length: 100 }, () => waitAfter('0'))
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
  const { waitAfter, write, read } = fakeTail(new Set([3]))
  const first = waitAfter('0')
  await write()
  const second = waitAfter('0')
  const third = waitAfter('1')
  await write()
  read.mockClear()
  await write()
  for (const { ended } of [first, second, third]) expect((await ended)?.text).toBe('change 3')
  expect(read).toHaveBeenCalledOnce()
})

it('goes on where the one leaves or fails that read for others', async () => {
  const { waitAfter, write } = fakeTail(new Set([1]))
  const failing = waitAfter('0', () => Promise.reject(new Error('aborted')))
  const leaving = waitAfter('0')
  const staying = waitAfter('0')
  leaving.end()
  expect(await leaving.ended).toBeUndefined()
  await expect(failing.ended).rejects.toThrow('aborted')
  await write()
  expect((await staying.ended)?.text).toBe('change 1')
})

it('ends all waits at once', async () => {
  const { groups, waitAfter } = fakeTail(new Set())
  const all = ['a', 'b'].map((key) => waitAfter('0', undefined, key))
  groups.end()
  for (const { ended } of all) expect(await ended).toBeUndefined()
})

it('leaves nobody behind where the last one leaves while it reads what it does not see', async () => {
  const { waitAfter, write, read } = fakeTail(new Set([2]))
  await write()
  const leaving = waitAfter('0', async (after) => {
    const part = await read(after)
    leaving.end()
    return part
  })
  expect(await leaving.ended).toBeUndefined()
  await new Promise(setImmediate)
  const staying = waitAfter('1')
  await write()
  expect((await staying.ended)?.text).toBe('change 2')
})

it('gives nobody a part who has left, or waits anew, before its turn comes', async () => {
  const { groups, write, read } = fakeTail(new Set([1, 2]))
  const takenBy = Array.from({ length: 60 }, () => [] as (string | undefined)[])
  const members = takenBy.map((taken, index) => {
    const member = groups.member('key', {
      read,
      fail: (error) => expect(error).toBeUndefined(),
      take(part) {
        taken.push(part?.text)
        // The first one, whose turn comes at once, sends two of those away who come later.
        if (index === 0 && part?.text === 'change 1') {
          members[40]!.end()
          members[41]!.end()
          members[41]!.waitAfter('0')
        }
        if (part?.text === 'change 1') member.waitAfter(part.next)
      },
    })
    member.waitAfter('0')
    return member
  })
  await write()
  await write()
  await vi.waitFor(() => expect(takenBy[59]).toHaveLength(2))
  await vi.waitFor(() => expect(takenBy[41]).toHaveLength(3))
  expect(takenBy[40]).toEqual([undefined])
  expect(takenBy[41]).toEqual([undefined, 'change 1', 'change 2'])
  for (const index of [0, 1, 39, 42, 59]) expect(takenBy[index]).toEqual(['change 1', 'change 2'])
})

it('gives nothing that was read before something was erased to those whose turn comes later', async () => {
  const { groups, waitAfter, write } = fakeTail(new Set([1]))
  const waits = Array.from({ length: 60 }, () => waitAfter('0'))
  void waits[0]!.ended.then(() => groups.forget())
  write()
  const parts = await Promise.all(waits.map(({ ended }) => ended))
  const given = parts.filter((part) => part !== undefined)
  expect(given.length).toBeGreaterThan(0)
  expect(given.length).toBeLessThan(60)
})

it('gives those who got something what came during their rest in one part', async () => {
  const { follow, write } = fakeTail(new Set([1, 2, 3]), 40)
  const all = Array.from({ length: 100 }, () => follow('0'))
  await write()
  await write()
  await write()
  await vi.waitFor(() => expect(all.map((texts) => texts.length)).not.toContain(1))
  for (const texts of all) expect(texts).toEqual(['change 1', 'change 2,change 3'])
})
