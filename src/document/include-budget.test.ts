import { expect, test } from 'vitest'
import { DocumentBudget, SharedIncludeBudget } from './include-budget.ts'

const limits = { maxParallel: 1, maxWaiting: 1, maxWaitMs: 60_000, maxBytes: 100 }
const overloaded = { status: 503, headers: { 'retry-after': '1' } }

function room(given: Partial<typeof limits> = {}) {
  const shared = new SharedIncludeBudget({ ...limits, ...given })
  const left = new AbortController()
  return { shared, left, document: () => new DocumentBudget(shared, left) }
}

test('a document keeps nobody waiting once it has given its slot back, and holds bytes until it is closed', async () => {
  const { shared, document } = room()
  const [first, second] = [document(), document()]
  await first.acquire(60)
  first.release()
  await second.acquire(30)
  expect(shared.usedBytes).toBe(90)
  second.close()
  await first.acquire(80)
  expect(shared.usedBytes).toBe(80)
  first.close()
  first.close()
  expect(shared.usedBytes).toBe(0)
})

test('no document begins while others hold too much, and those that have begun go on', async () => {
  const { document } = room()
  const first = document()
  await first.acquire(100)
  first.release()
  await expect(document().acquire(1)).rejects.toMatchObject(overloaded)
  await first.acquire(200)
  first.close()
  await document().acquire(1)
})

test('one that waited while others came to hold too much does not begin either, and leaves its slot to the next', async () => {
  const { document } = room()
  const first = document()
  await first.acquire(1)
  const waiting = document().acquire(1)
  await first.acquire(100)
  first.release()
  await expect(waiting).rejects.toMatchObject(overloaded)
  first.close()
  await document().acquire(1)
})

test('so many wait, and so long, and none whose client has left', async () => {
  const { left, document } = room({ maxWaitMs: 50 })
  const first = document()
  await first.acquire(1)
  const waiting = document().acquire(1)
  await expect(document().acquire(1)).rejects.toMatchObject(overloaded)
  await expect(waiting).rejects.toMatchObject(overloaded)
  const leaving = document().acquire(1)
  left.abort(new Error('left'))
  await expect(leaving).rejects.toThrow('left')
})

test('a document that is given up while it waits takes no slot', async () => {
  const { shared, document } = room()
  const [first, second] = [document(), document()]
  await first.acquire(1)
  const waiting = second.acquire(50)
  second.close()
  first.close()
  await waiting
  expect(shared.usedBytes).toBe(0)
  await document().acquire(1)
})
