import { expect, it, onTestFinished, vi } from 'vitest'
import { promiseWithResolvers } from '../concurrency/promise-with-resolvers.ts'
import { internalModel } from '../store/internal-model.ts'
import { memory } from '../store/memory/memory.ts'
import { Lease, LeaseLost } from './lease.ts'
import { type LeasedRow, LeasedRows } from './leased-rows.ts'

interface Row extends LeasedRow {
  readonly position: string
}
const rows = new LeasedRows<Row>(
  internalModel('work', 'works', { position: 'string', owner: 'string', beat: 'integer' }),
  'work',
)

const times = { renewMs: 10, ownMs: 200, expireMs: 300, lookMs: 5 }
const row = (position: string): Row => ({ position, owner: '', beat: 0 })
const never = new AbortController().signal

async function storeWithRow() {
  const store = memory()
  await store.open([rows.model])
  await store.write((transaction) => rows.insert(transaction, 'c', row('p0')))
  return store
}

async function acquire(store: Awaited<ReturnType<typeof storeWithRow>>, isFenced = false) {
  const lease = await Lease.acquire({ store, rows, name: 'c', times, isFenced }, never)
  onTestFinished(() => lease!.release())
  return lease!
}

const steal = (store: Awaited<ReturnType<typeof storeWithRow>>) =>
  store.write((transaction) =>
    rows.change(transaction, 'c', (row) => ({ ...row, owner: 'thief', beat: row.beat + 1 })),
  )

it('lets one owner have the row, and the next one once it is released', async () => {
  const store = await storeWithRow()
  const first = await acquire(store)
  let hasSecond = false
  const second = acquire(store).then((lease) => {
    hasSecond = true
    return lease
  })
  // It is renewed, so nobody takes over for longer than it is valid.
  await new Promise((resolve) => setTimeout(resolve, 2 * times.expireMs))
  expect([hasSecond, first.signal.aborted]).toEqual([false, false])
  await first.change({ position: 'p1' })
  await first.release()
  expect((await second).row.position).toBe('p1')
})

it('is taken over when its owner does not write any more', async () => {
  const store = await storeWithRow()
  await steal(store)
  const started = performance.now()
  expect((await acquire(store)).row.position).toBe('p0')
  expect(performance.now() - started).toBeGreaterThanOrEqual(times.expireMs - 1)
})

it('commits nothing once another process has taken over, and aborts its signal', async () => {
  const store = await storeWithRow()
  const lease = await acquire(store)
  await steal(store)
  await expect(lease.change({ position: 'p1' })).rejects.toBeInstanceOf(LeaseLost)
  expect(lease.signal.aborted).toBe(true)
  await lease.release()
  expect(await rows.find(store, 'c')).toMatchObject({ owner: 'thief', position: 'p0' })
})

it('undoes what is written with it once another process has taken over', async () => {
  const store = await storeWithRow()
  const lease = await acquire(store)
  await steal(store)
  const written = lease.change({ position: 'p1' }, (commit) =>
    store.write(async (transaction) => {
      await rows.insert(transaction, 'beside', row(''))
      await commit(transaction)
    }),
  )
  await expect(written).rejects.toBeInstanceOf(LeaseLost)
  expect(await rows.find(store, 'beside')).toBeUndefined()
})

it.each([
  [false, true],
  [true, false],
])('that is fenced (%s) is lost while its owner cannot write: %s', async (isFenced, isLost) => {
  const store = await storeWithRow()
  const lease = await acquire(store, isFenced)
  const { promise, reject } = promiseWithResolvers<never>()
  const write = vi.spyOn(store, 'write').mockReturnValue(promise)
  await new Promise((resolve) => setTimeout(resolve, times.ownMs + 100))
  expect(lease.signal.aborted).toBe(isLost)
  write.mockRestore()
  reject(new Error('the store is back'))
})
