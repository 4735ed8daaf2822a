import { expect, it } from 'vitest'
import { memory } from './memory/memory.ts'
import { RequestRecordKeeper } from './request-record-keeper.ts'
import type { RequestRecords } from './request-records.ts'
import type { Store } from './store.ts'

async function storeWith(count: number): Promise<Store & { requestRecords: RequestRecords }> {
  const store = memory()
  await store.write(async ({ requestRecords }) => {
    for (let index = 0; index < count; index++) {
      const key = `k-${index}`
      await requestRecords!.reserve(key, { nowMs: 0, expiresAtMs: 1_000 + index })
      await requestRecords!.write(key, 'done')
    }
  })
  return { ...store, requestRecords: store.requestRecords! }
}

it('removes all records that have expired, in several transactions, at most once a minute', async () => {
  const { requestRecords } = await storeWith(1_800)
  const keeper = new RequestRecordKeeper(requestRecords, 10_000)
  keeper.sweepSometimes(2_500)
  await expect.poll(() => requestRecords.count()).toBe(299)
  keeper.sweepSometimes(60_000)
  await keeper.close()
  expect(await requestRecords.count()).toBe(299)
})

it('is full until records have expired', async () => {
  const { requestRecords } = await storeWith(3)
  const keeper = new RequestRecordKeeper(requestRecords, 4)
  expect(keeper.isFull).toBe(false)
  keeper.sweepSometimes(0)
  await new Promise(setImmediate)
  expect(keeper.isFull).toBe(false)
  keeper.added()
  expect(keeper.isFull).toBe(true)
  keeper.sweepSometimes(100_000)
  await expect.poll(() => keeper.isFull).toBe(false)
  await keeper.close()
})

it('reports what fails, but nothing once it is closed', async () => {
  const { requestRecords } = await storeWith(0)
  const failure = new Error('no connection')
  const errors: unknown[] = []
  const keeper = new RequestRecordKeeper(
    {
      areKept: () => true,
      find: (...args) => requestRecords.find(...args),
      count: () => requestRecords.count(),
      removeExpired: () => Promise.reject(failure),
    },
    10,
    (error) => errors.push(error),
  )
  keeper.sweepSometimes(0)
  await expect.poll(() => errors).toEqual([failure])
  keeper.sweepSometimes(100_000)
  await keeper.close()
  keeper.sweepSometimes(200_000)
  expect(errors).toEqual([failure])
})
