import { expect, it, onTestFinished, vi } from 'vitest'
import type { ChangeEntry, ChangeLog, ReadChanges } from '../../../store/change-log.ts'
import { FollowingLog } from './following-log.ts'
import { maxFollowingBytes, maxFollowingChanges } from './log-run.ts'

/** Its positions are the numbers of changes. The last ones may have no order yet. */
function fakeLog(characters = 1) {
  const entries: ChangeEntry[] = []
  let unordered = 0
  let removed = 0
  let readCount = 0
  const log: Pick<ChangeLog, 'read'> = {
    read: async (after, limit, extent = 'ordered'): Promise<ReadChanges> => {
      const start = Number(after ?? 0)
      if (start < removed) return { kind: 'expired' }
      const end = entries.length - (extent === 'ordered' ? unordered : 0)
      const read = entries.slice(start, Math.min(start + limit, end))
      readCount += read.length
      const next = String(start + read.length)
      return { kind: 'changes', entries: read, next, isEnd: read.length < limit }
    },
  }
  const text = 'x'.repeat(characters)
  const write = (count: number, unorderedCount = 0) => {
    unordered = unorderedCount
    for (let left = count; left > 0; left--) {
      const position = String(entries.length + 1)
      const id = `b${position}`
      const before = { id, text, hiddenText: null, hash: null, relationsOffset: 0, revision: 1 }
      const shared = { model: 'book', id, timeMs: 0, caller: null, position }
      entries.push({ ...shared, kind: 'delete', transaction: position, before, after: null })
    }
  }
  const following = new FollowingLog(log)
  onTestFinished(() => following.forget())
  return {
    log,
    following,
    write,
    remove: (count: number) => {
      removed = count
    },
    part: (from: number, to: number) => ({
      after: String(from),
      entries: entries.slice(from, to),
      next: String(to),
    }),
    /** How many changes were read since it was last asked. */
    reads: () => {
      const count = readCount
      readCount = 0
      return count
    },
  }
}

it('reads the log once for one part after the other', async () => {
  const { following, write, part, reads } = fakeLog()
  write(5_000)
  expect((await following.after(part(0, 500)))?.count).toBe(4_500)
  // The first page of it says only that there is much.
  expect(reads()).toBe(4_500 + 500)
  for (let from = 500; from < 5_000; from += 500) {
    const changes = await following.after(part(from, from + 500))
    expect(changes!.count).toBe(5_000 - from - 500)
    expect(changes!.next('book', `b${from}`)).toBeUndefined()
  }
  expect(reads()).toBe(0)
})

it('reads what has come since, also for those who have read to the end', async () => {
  const { following, write, part, reads } = fakeLog()
  write(10)
  const before = await following.after(part(0, 10))
  write(10)
  expect((await following.after(part(0, 10)))?.count).toBe(10)
  expect(before!.count).toBe(0)
  expect(before!.next('book', 'b11')).toBeUndefined()
  reads()
  expect((await following.after(part(10, 20)))?.count).toBe(0)
  expect(reads()).toBe(0)
})

it('reads what is before it for those who are further behind', async () => {
  const { following, write, part, reads } = fakeLog()
  write(3_000)
  await following.after(part(2_000, 2_100))
  reads()
  const changes = await following.after(part(900, 1_000))
  expect(changes!.count).toBe(2_000)
  expect(changes!.next('book', 'b1001')).toMatchObject({ id: 'b1001' })
  expect(changes!.next('book', 'b3000')).toMatchObject({ id: 'b3000' })
  expect(reads()).toBeLessThan(2_000)
  expect((await following.after(part(2_000, 2_100)))?.count).toBe(900)
})

it('reads what has no order yet again, until it has one', async () => {
  const { following, write, part } = fakeLog()
  write(700, 650)
  expect((await following.after(part(0, 50)))?.count).toBe(650)
  write(300, 20)
  const changes = await following.after(part(0, 50))
  expect(changes!.count).toBe(950)
  expect(changes!.next('book', 'b1000')).toMatchObject({ id: 'b1000' })
})

it('reads once for all who ask at the same time', async () => {
  const { log, following, write, part } = fakeLog()
  write(100)
  const read = vi.spyOn(log, 'read')
  await Promise.all(Array.from({ length: 20 }, () => following.after(part(0, 50))))
  expect(read).toHaveBeenCalledOnce()
})

it('has nothing of what is too long, and serves those who are less far behind', async () => {
  const { following, write, part, reads } = fakeLog()
  write(maxFollowingChanges + 1_000)
  const near = part(900, 1_000)
  expect((await following.after(near))?.count).toBe(maxFollowingChanges)
  expect(await following.after(part(0, 100))).toBeUndefined()
  write(1)
  reads()
  expect(await following.after(near)).toBeUndefined()
  expect(reads()).toBeLessThan(maxFollowingChanges + 2_000)
  expect((await following.after(part(1_000, 1_001)))?.count).toBe(maxFollowingChanges)
})

it('has nothing of items that have too many bytes', async () => {
  const { following, write, part } = fakeLog(maxFollowingBytes / 64)
  write(65)
  expect(await following.after(part(0, 0))).toBeUndefined()
  expect((await following.after(part(0, 1)))?.count).toBe(64)
})

it('has nothing of what the log has lost', async () => {
  const { following, write, part, remove } = fakeLog()
  write(100)
  await following.after(part(80, 90))
  remove(60)
  expect(await following.after(part(10, 20))).toBeUndefined()
  expect((await following.after(part(80, 90)))?.count).toBe(10)
})

it('goes on after a read that failed', async () => {
  const { log, following, write, part } = fakeLog()
  write(10)
  vi.spyOn(log, 'read').mockRejectedValueOnce(new Error('connection lost'))
  const both = [following.after(part(0, 5)), following.after(part(0, 5))]
  await expect(both[0]).rejects.toThrow('connection lost')
  expect((await both[1])?.count).toBe(5)
})

it('keeps nothing for longer than 10 seconds, nor what was erased', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { following, write, part, reads } = fakeLog()
  write(1_000)
  const isRead = async () => {
    reads()
    await following.after(part(0, 50))
    return reads() > 0
  }
  expect(await isRead()).toBe(true)
  expect(await isRead()).toBe(false)
  following.forget()
  expect(await isRead()).toBe(true)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await isRead()).toBe(true)
})
