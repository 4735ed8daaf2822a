import { expect, test } from 'vitest'
import { DocumentBudget, SharedDocumentBudget } from './document-budget.ts'

const limits = { maxParallel: 1, maxWaiting: 1, maxWaitMs: 60_000, maxBytes: 100 }
const overloaded = { status: 503, headers: { 'retry-after': '1' } }

function createBudget(overrides: Partial<typeof limits> = {}) {
  const shared = new SharedDocumentBudget({ ...limits, ...overrides })
  const client = new AbortController()
  return { shared, client, document: () => new DocumentBudget(shared, client) }
}

test('a document blocks no other after it has released the semaphore, and holds bytes until it is closed', async () => {
  const { shared, document } = createBudget()
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

test('no document starts while others hold too much, and those that have started go on', async () => {
  const { document } = createBudget()
  const first = document()
  await first.acquire(100)
  first.release()
  await expect(document().acquire(1)).rejects.toMatchObject(overloaded)
  await first.acquire(200)
  first.close()
  await document().acquire(1)
})

test('a waiting document does not start either if others hold too much by then, and leaves the semaphore to the next', async () => {
  const { document } = createBudget()
  const first = document()
  await first.acquire(1)
  const waiting = document().acquire(1)
  await first.acquire(100)
  first.release()
  await expect(waiting).rejects.toMatchObject(overloaded)
  first.close()
  await document().acquire(1)
})

test('the number of waiting documents and their time are limited, and a client that leaves ends the wait', async () => {
  const { client, document } = createBudget({ maxWaitMs: 50 })
  const first = document()
  await first.acquire(1)
  const waiting = document().acquire(1)
  await expect(document().acquire(1)).rejects.toMatchObject(overloaded)
  await expect(waiting).rejects.toMatchObject(overloaded)
  const leaving = document().acquire(1)
  client.abort(new Error('left'))
  await expect(leaving).rejects.toThrow('left')
})

test('a document that is closed while it waits does not hold the semaphore', async () => {
  const { shared, document } = createBudget()
  const [first, second] = [document(), document()]
  await first.acquire(1)
  const waiting = second.acquire(50)
  second.close()
  first.close()
  await waiting
  expect(shared.usedBytes).toBe(0)
  await document().acquire(1)
})
