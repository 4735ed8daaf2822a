import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  abandon,
  atOnce,
  connectionTo,
  fileWithOffers,
  inBatches,
  itemCount,
  itemOf,
  namesIn,
  notesIn,
  offer,
  offerFields,
  one,
  stepsOf,
  storeOf,
  total,
  valuesOf,
} from '../../../test/support/offers-in-a-file.ts'
import { model } from '../../model/declare/model.ts'

test('a start after one whose function has failed makes all values of the corrected one', async () => {
  const { file, old } = await fileWithOffers()
  const failing = offer(2, ({ price }) => {
    if (price === 500) throw new Error('too much')
    return price * 7
  })
  await expect(storeOf(file).open([failing])).rejects.toThrow(
    "The derived field 'total' of the model 'offer' failed for the item 'o0499': too much. Correct it and start again.",
  )
  // The old version goes on.
  expect((await valuesOf(old, offer(1))).size).toBe(itemCount)
  const next = storeOf(file)
  await next.open([offer(2)])
  for (const [id, { price, total }] of await valuesOf(next, offer(2)))
    expect(total, id).toBe((price as number) * 2)
})

test('a start with other functions than one that was given up makes all values of its own', async () => {
  const { file, old } = await fileWithOffers()
  await abandon(file, offer(2))
  await abandon(file, offer(3))
  const third = storeOf(file)
  await third.open([offer(2)])
  for (const [id, { price, total }] of await valuesOf(third, offer(2)))
    expect(total, id).toBe((price as number) * 2)
  await expect(valuesOf(old, offer(1))).rejects.toThrow('Another process has migrated')
})

test.each([
  ['optional', z.string().optional(), inBatches],
  ['required', z.string().default('none'), atOnce],
])(
  'a start of the former functions that adds an %s field makes the values of one that was given up',
  async (_, note, step) => {
    const { file } = await fileWithOffers()
    await abandon(file, offer(2))
    const former = one(model('offer', { ...offerFields, total: total(1), note }))
    const next = storeOf(file)
    expect(await stepsOf(next, former)).toEqual(new Set([step]))
    for (const [id, { price, total }] of await valuesOf(next, former)) expect(total, id).toBe(price)
    expect(namesIn(await connectionTo(file))).toEqual(['_layout', 'offers'])
  },
)

test('a start of the old version beside a deploy leaves what this one has begun', async () => {
  const { file } = await fileWithOffers()
  await abandon(file, offer(2))
  const again = storeOf(file)
  expect(await stepsOf(again, offer(1))).toEqual(new Set())
  await again.write((transaction) =>
    transaction.insert(offer(1), itemOf(offer(1), { id: 'a', price: 5, cost: 1 })),
  )
  const next = storeOf(file)
  await next.open([offer(2)])
  expect((await valuesOf(next, offer(2))).get('a')).toMatchObject({ total: 10 })
})

test('another version that starts beside it ends it, and has its own values', async () => {
  const { file } = await fileWithOffers()
  const starts: Promise<unknown>[] = []
  const last = storeOf(file)
  await storeOf(file)
    .open([offer(2)], {
      onProgress: () => {
        if (starts.length === 0) starts.push(last.open([offer(3)]))
      },
    })
    .catch(() => undefined)
  await Promise.all(starts)
  const reopened = storeOf(file)
  await reopened.open([offer(3)])
  for (const [id, { price, total }] of await valuesOf(reopened, offer(3)))
    expect(total, id).toBe((price as number) * 3)
  const database = await connectionTo(file)
  expect([namesIn(database), notesIn(database)]).toEqual([['_layout', 'offers'], []])
})

test('a rename that follows a start that was given up makes the values of its own version', async () => {
  const { file } = await fileWithOffers()
  await abandon(file, offer(2))
  const renamed = one(model('deal', { ...offerFields, total: total(1) }, { was: 'offer' }))
  const next = storeOf(file)
  await next.open([renamed])
  for (const [id, { price, total }] of await valuesOf(next, renamed)) expect(total, id).toBe(price)
  const database = await connectionTo(file)
  expect([namesIn(database), notesIn(database)]).toEqual([['_layout', 'deals'], []])
})

test('prune drops what an abandoned start has left of a model that is gone', async () => {
  const { file, old } = await fileWithOffers()
  await abandon(file, offer(2))
  await old.close()
  const other = one(model('thing', { name: z.string() }))
  const store = storeOf(file)
  await store.open([other])
  await store.admin!.prune!([other], { drops: true })
  const database = await connectionTo(file)
  expect(namesIn(database)).toEqual(['_layout', 'things'])
  const keys = database.prepare('select key from _layout order by key').all([])
  expect(keys).toEqual([['form of things'], ['version']])
})
