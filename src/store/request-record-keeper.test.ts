import { expect, it } from 'vitest'
import { memory } from './memory/memory.ts'
import { RequestRecordKeeper } from './request-record-keeper.ts'
import type { RecordShare, RequestRecords } from './request-records.ts'

interface Kept {
  readonly records: RequestRecords
  readonly keeper: RequestRecordKeeper
  /** Keeps a record of ten bytes, if the client may; returns until when it may not. */
  keep(client: string, nowMs: number): Promise<number | undefined>
  /** How often a client was counted. */
  readonly counts: readonly string[]
}

const keepMs = 100_000

function kept(limits: Partial<RecordShare>): Kept {
  const store = memory()
  const counts: string[] = []
  const stored = store.requestRecords!
  const records: RequestRecords = {
    areKept: () => true,
    find: (...args) => stored.find(...args),
    usage: () => stored.usage(),
    usageOf: (client, ...rest) => {
      counts.push(client)
      return stored.usageOf(client, ...rest)
    },
    removeExpired: (...args) => stored.removeExpired(...args),
  }
  const keeper = new RequestRecordKeeper(records, { records: 1_000, bytes: 1e9, ...limits })
  let added = 0
  const keep = async (client: string, nowMs: number) => {
    const fullUntilMs = await keeper.fullUntilMs(client, nowMs)
    if (fullUntilMs !== undefined) return fullUntilMs
    await store.write(async ({ requestRecords }) => {
      const key = `k-${added++}`
      await requestRecords!.reserve(key, client, { nowMs, expiresAtMs: nowMs + keepMs })
      await requestRecords!.write(key, 'ten bytes.')
    })
    keeper.added(client, 10, nowMs + keepMs)
    return undefined
  }
  return { records, keeper, keep, counts }
}

/** Keeps records until the client may not, one in each millisecond. */
async function keepAll({ keep }: Kept, client: string, fromMs: number) {
  for (let count = 0; ; count++) {
    const fullUntilMs = await keep(client, fromMs + count)
    if (fullUntilMs !== undefined) return { count, fullUntilMs }
  }
}

it('removes all records that have expired, in several transactions, at most once a minute', async () => {
  const world = kept({ records: 10_000 })
  for (let index = 0; index < 1_800; index++) await world.keep('ann', index)
  world.keeper.sweepSometimes(keepMs + 1_500)
  await expect.poll(async () => (await world.records.usage()).records).toBe(299)
  world.keeper.sweepSometimes(keepMs + 60_000)
  await world.keeper.close()
  expect((await world.records.usage()).records).toBe(299)
})

it.each([{ records: 200 }, { bytes: 2_000 }])(
  'leaves a share to each client once half of %j is used',
  async (limits) => {
    const world = kept(limits)
    const eve = await keepAll(world, 'eve', 0)
    // She is over her share of 20, so that those after the 19 latest have to expire.
    expect(eve).toEqual({ count: 100, fullUntilMs: keepMs + 80 })
    expect(await keepAll(world, 'ada', 1_000)).toMatchObject({ count: 20 })
    expect(await keepAll(world, 'bob', 2_000)).toMatchObject({ count: 20 })
    // Nobody is counted for each refusal.
    const { length } = world.counts
    for (let index = 0; index < 50; index++) await world.keep('eve', 3_000)
    expect(world.counts).toHaveLength(length)
    await world.keeper.close()
  },
)

it('tells the time at which a client may keep another record', async () => {
  const world = kept({ records: 40 })
  for (const name of ['ada', 'bob', 'cy', 'dee', 'eli']) await keepAll(world, name, 0)
  expect((await world.records.usage()).records).toBe(36)
  const fullUntilMs = (await world.keep('eli', 50_000))!
  expect(fullUntilMs).toBe(keepMs)
  expect(await world.keep('eli', fullUntilMs - 1)).toBe(fullUntilMs)
  expect(await world.keep('eli', fullUntilMs)).toBeUndefined()
  await world.keeper.close()
})

it('is full for all clients until the first record expires', async () => {
  const world = kept({ records: 10 })
  for (let index = 0; index < 10; index++)
    expect(await world.keep(`c-${index}`, index)).toBeUndefined()
  expect(await world.keep('new', 10)).toBe(keepMs)
  expect(await world.keep('new', keepMs)).toBeUndefined()
  expect(await world.keep('newer', keepMs)).toBe(keepMs + 1)
  await world.keeper.close()
})

it('reports what fails, but nothing once it is closed', async () => {
  const { records } = kept({})
  const failure = new Error('no connection')
  const errors: unknown[] = []
  const keeper = new RequestRecordKeeper(
    { ...records, removeExpired: () => Promise.reject(failure) },
    { records: 10, bytes: 1_000 },
    (error) => errors.push(error),
  )
  keeper.sweepSometimes(0)
  await expect.poll(() => errors).toEqual([failure])
  keeper.sweepSometimes(100_000)
  await keeper.close()
  keeper.sweepSometimes(200_000)
  expect(errors).toEqual([failure])
})
