import { expect, it, onTestFinished, vi } from 'vitest'
import type { ChangeEntry, ChangeLog, ReadChanges } from '../../../store/change-log.ts'
import { LogTail } from './log-tail.ts'

/** Its positions are the numbers of changes. */
function fakeLog() {
  const entries: ChangeEntry[] = []
  const listeners = new Set<() => void>()
  const log: Pick<ChangeLog, 'end' | 'read' | 'watch'> = {
    end: async () => String(entries.length),
    read: async (after, limit): Promise<ReadChanges> => {
      const start = Number(after ?? 0)
      const read = entries.slice(start, start + limit)
      const next = start + read.length
      return { kind: 'changes', entries: read, next: String(next), isEnd: next === entries.length }
    },
    watch: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const write = (count: number) => {
    for (let left = count; left > 0; left--) {
      const position = String(entries.length + 1)
      entries.push({ kind: 'erased', model: 'book', timeMs: 0, position, transaction: position })
    }
    for (const listener of listeners) listener()
  }
  return { log: log as ChangeLog, write }
}

const failed = (error: unknown) => {
  throw error
}

it.each([1, 1_999, 2_000, 2_001, 3_000, 4_500])(
  'skips nothing for those who follow where %i changes come at once',
  async (count) => {
    const { log, write } = fakeLog()
    const tail = new LogTail(log, failed)
    onTestFinished(tail.follow())
    await vi.waitFor(() => expect(tail.arrivals).toBe(1))
    write(3)
    await vi.waitFor(() => expect(tail.arrivals).toBe(2))
    write(count)
    await vi.waitFor(() => expect(tail.arrivals).toBe(3))
    const positions: string[] = []
    for (let [after, isEnd] = ['3', false]; !isEnd; ) {
      const read = await tail.read(after, 500)
      if (read.kind !== 'changes') throw new Error(read.kind)
      positions.push(...read.entries.map(({ position }) => position))
      after = read.next
      isEnd = read.isEnd
    }
    expect(positions).toEqual(Array.from({ length: count }, (_, index) => String(index + 4)))
  },
)

it('keeps no change in memory for long while nothing changes, nor beyond an erasure', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { log, write } = fakeLog()
  const read = vi.spyOn(log, 'read')
  const tail = new LogTail(log, failed)
  onTestFinished(tail.follow())
  await vi.advanceTimersByTimeAsync(20)
  const isInMemory = async () => {
    read.mockClear()
    await tail.read('0', 10)
    return read.mock.calls.length === 0
  }
  write(3)
  await vi.advanceTimersByTimeAsync(20)
  expect(await isInMemory()).toBe(true)
  tail.forget()
  expect(await isInMemory()).toBe(false)
  const after = await tail.knownEnd()
  write(3)
  await vi.advanceTimersByTimeAsync(8_000)
  read.mockClear()
  await tail.read(after, 10)
  expect(read).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(3_100)
  await tail.read(after, 10)
  expect(read).toHaveBeenCalledOnce()
})

it('reads again what was read while something was erased', async () => {
  const { log, write } = fakeLog()
  const tail = new LogTail(log, failed)
  onTestFinished(tail.follow())
  await vi.waitFor(() => expect(tail.arrivals).toBe(1))
  const { read } = log
  vi.spyOn(log, 'read').mockImplementationOnce(async (...page) => {
    const old = await read(...page)
    tail.forget()
    return old
  })
  write(1)
  const reads = () => vi.mocked(log.read).mock.calls.length
  await vi.waitFor(() => expect(reads()).toBe(2))
})

it('reads again after a read that failed, without a further change', async () => {
  const { log, write } = fakeLog()
  const errors: unknown[] = []
  const tail = new LogTail(log, (error) => void errors.push(error))
  onTestFinished(tail.follow())
  await vi.waitFor(() => expect(tail.arrivals).toBe(1))
  const lost = new Error('connection lost')
  vi.spyOn(log, 'read').mockRejectedValueOnce(lost)
  const wait = tail.wait(tail.arrivals, 60_000)
  write(1)
  expect(await wait.ended).toBe(true)
  expect(await tail.knownEnd()).toBe('1')
  expect(errors).toEqual([lost])
})
