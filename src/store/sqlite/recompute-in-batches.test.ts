import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  atOnce,
  connectionTo,
  countWithTotal,
  fileWithOffers,
  idOf,
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
import { derived } from '../../model/declare/derived.ts'
import { model } from '../../model/declare/model.ts'

const sources = (path: string): string =>
  JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))

/**
 * A start that is killed after its first batch. The sources are TypeScript, which vite knows to
 * run.
 */
const killedStart = `
import { createServer } from 'vite'
const server = await createServer({
  configFile: false, logLevel: 'silent', appType: 'custom', optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
})
const load = (path) => server.ssrLoadModule(path)
const [{ sqlite }, { describeModels }, { model }, { derived }, { z }] = await Promise.all([
  load(${sources('./sqlite.ts')}), load(${sources('../../model/describe/describe-models.ts')}),
  load(${sources('../../model/declare/model.ts')}), load(${sources('../../model/declare/derived.ts')}), import('zod'),
])
const offers = describeModels([model('offer', {
  price: z.number(), cost: z.number(),
  total: derived({
    from: ['price'], schema: z.number(), compute: ({ price }) => price * 2, version: 2, index: true,
  }),
})])
await sqlite(process.argv[1]).open(offers, {
  onProgress: () => process.kill(process.pid, 'SIGKILL'),
})
`

test('others write between two batches, and what they write is made again', async () => {
  const { file, old } = await fileWithOffers()
  const other = await connectionTo(file)
  other.exec('pragma busy_timeout = 2000')
  const doneAtWrites: number[] = []
  const written: Promise<unknown>[] = []
  const next = storeOf(file)
  const [before, after] = [offer(1), offer(2)]
  await next.open([after], {
    onProgress: ({ step, done, total }) => {
      expect([step, total]).toEqual([inBatches, itemCount])
      // It would fail if the store kept the file locked between batches.
      other.exec(
        `update offers set text = json_set(text, '$.total', 9), "text.total#" = 9 where id = '${idOf(1)}'`,
      )
      doneAtWrites.push(done)
      if (written.length > 0) return
      for (const [kind, id, price] of [
        ['replace', idOf(0), 1_000],
        ['replace', idOf(599), 2_000],
        ['insert', 'a', 3_000],
      ] as const)
        written.push(
          old.write((transaction) =>
            transaction[kind](before, itemOf(before, { id, price, cost: 1 }, 2)),
          ),
        )
      written.push(old.write((transaction) => transaction.remove(before, idOf(2))))
    },
  })
  expect(doneAtWrites[0]).toBeLessThan(itemCount)
  expect(doneAtWrites.length).toBeGreaterThan(1)
  await Promise.all(written)
  const values = await valuesOf(next, after)
  expect(values.size).toBe(itemCount)
  for (const [id, { price, total }] of values) expect(total, id).toBe((price as number) * 2)
  expect(values.get('a')).toMatchObject({ total: 6_000 })
  // An item that nobody else has written is written once.
  expect(values.get(idOf(3))).toMatchObject({ total: 8, revision: 2 })
  expect(await countWithTotal(next, after, 2_000)).toBe(1)
  expect(await countWithTotal(next, after, 9)).toBe(0)
  expect(namesIn(other)).toEqual(['_layout', 'offers'])
  expect(notesIn(other)).toEqual([])
  await expect(old.write((transaction) => transaction.remove(before, 'a'))).rejects.toThrow(
    'Another process has migrated',
  )
})

test('what others write while the next model is computed is not left to the last transaction', async () => {
  const { file, old } = await fileWithOffers()
  const deal = (version: number) => one(model('deal', { ...offerFields, total: total(version) }))
  const [before, dealBefore] = [offer(1), deal(1)]
  await old.open([before, dealBefore])
  await old.write((transaction) =>
    transaction.insert(dealBefore, itemOf(dealBefore, { id: 'd', price: 1, cost: 1 })),
  )
  const other = await connectionTo(file)
  const waiting = () =>
    other.prepare('select count(*) from "offers(recomputed)"').all([])[0]![0] as number
  const waitingAtCalls: number[] = []
  let hasWritten = false
  const counted = offer(2, ({ price }) => {
    if (hasWritten) waitingAtCalls.push(waiting())
    return price * 2
  })
  const next = storeOf(file)
  await next.open([counted, deal(2)], {
    onProgress: ({ step }) => {
      if (hasWritten || !step.includes("'deals'")) return
      other.exec('update offers set text = text')
      hasWritten = true
    },
  })
  expect(waitingAtCalls[0]).toBe(itemCount)
  expect(waitingAtCalls.at(-1)).toBeLessThan(itemCount)
  expect(await countWithTotal(next, counted, 8)).toBe(1)
})

test('of two processes that start at once, each item is written by one', async () => {
  const { file } = await fileWithOffers()
  const after = offer(2)
  const [first, second] = [storeOf(file), storeOf(file)]
  await Promise.all([first.open([after]), second.open([after])])
  for (const [id, { price, total, revision }] of await valuesOf(second, after))
    expect([total, revision], id).toEqual([(price as number) * 2, 2])
  expect(namesIn(await connectionTo(file))).toEqual(['_layout', 'offers'])
})

test('a start after one that was killed makes the rest, and what others have written since', async () => {
  const { file, old } = await fileWithOffers()
  const child = spawn(process.execPath, ['--input-type=module', '-e', killedStart, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  const [before, after] = [offer(1), offer(2)]
  const totals = [...(await valuesOf(old, before)).values()]
  const done = totals.filter(({ price, total }) => total !== price)
  expect(done.length).toBeGreaterThan(0)
  expect(done.length).toBeLessThan(itemCount)
  await old.write((transaction) =>
    transaction.replace(before, itemOf(before, { id: idOf(1), price: 50, cost: 1 }, 3)),
  )
  const next = storeOf(file)
  expect(await stepsOf(next, after)).toEqual(new Set([inBatches]))
  const values = await valuesOf(next, after)
  for (const [id, { price, total }] of values) expect(total, id).toBe((price as number) * 2)
  // What the killed process had written stays as it is.
  expect(values.get(idOf(2))).toMatchObject({ revision: 2 })
  expect(values.get(idOf(599))).toMatchObject({ revision: 2 })
}, 60_000)

test('a renamed model is computed again under its former name', async () => {
  const { file, old } = await fileWithOffers()
  const renamed = one(model('deal', { ...offerFields, total: total(2) }, { was: 'offer' }))
  const next = storeOf(file)
  const written: Promise<unknown>[] = []
  await next.open([renamed], {
    onProgress: () => {
      if (written.length > 0) return
      const item = itemOf(offer(1), { id: 'a', price: 4, cost: 1 })
      written.push(old.write((transaction) => transaction.insert(offer(1), item)))
    },
  })
  await Promise.all(written)
  const values = await valuesOf(next, renamed)
  expect(values.size).toBe(itemCount + 1)
  for (const [id, { price, total }] of values) expect(total, id).toBe((price as number) * 2)
  expect(namesIn(await connectionTo(file))).toEqual(['_layout', 'deals'])
  // What its fields are made of is known under the new name too.
  await next.close()
  const again = one(model('deal', { ...offerFields, total: total(3) }))
  expect(await stepsOf(storeOf(file), again)).toEqual(new Set(["Filling in 'total' of 'deals'"]))
})

test.each([
  [
    'made of another source, whose rule they do not know',
    derived({
      from: ['price', 'cost'],
      schema: z.number(),
      compute: ({ price, cost }: { price: number; cost: number }) => price * cost,
      version: 2,
    }),
  ],
  [
    'of another type',
    derived({
      from: ['price'],
      schema: z.string(),
      compute: ({ price }: { price: number }) => `${price}`,
      version: 2,
    }),
  ],
])('processes of the old version see no value that is %s', async (_, changed) => {
  const { file } = await fileWithOffers()
  const after = one(model('offer', { ...offerFields, total: changed }))
  const next = storeOf(file)
  expect(await stepsOf(next, after)).toEqual(new Set([atOnce]))
  expect(String((await valuesOf(next, after)).get(idOf(7))!.total)).toBe('8')
})

/** Is made of a second source. */
const both = (version: number) =>
  derived({
    from: ['price', 'cost'],
    schema: z.number(),
    compute: ({ price, cost }: { price: number; cost: number }) => (price + cost) * version,
    version,
    index: true,
  })

test.each([
  ['with another version', 2, inBatches],
  ['with the same version', 1, undefined],
])(
  'a version that has lost a source, %s, sees no value that is made of it again',
  async (_, version, step) => {
    const { file } = await fileWithOffers(one(model('offer', { ...offerFields, total: both(1) })))
    const fewer = one(model('offer', { ...offerFields, total: total(version) }))
    expect(await stepsOf(storeOf(file), fewer)).toEqual(new Set(step ? [step] : []))
    const again = one(model('offer', { ...offerFields, total: both(3) }))
    expect(await stepsOf(storeOf(file), again)).toEqual(new Set([atOnce]))
  },
)

test('values whose sources the file does not say are made in the last transaction', async () => {
  const { file, old } = await fileWithOffers()
  await old.close()
  const database = await connectionTo(file)
  database.exec("delete from _layout where key = 'derivations of offers'")
  const next = storeOf(file)
  expect(await stepsOf(next, offer(2))).toEqual(new Set([atOnce]))
  await next.close()
  expect(await stepsOf(storeOf(file), offer(3))).toEqual(new Set([inBatches]))
})

test('a start ends where another item has the same unique value', async () => {
  const code = (version: number) =>
    one(
      model('offer', {
        ...offerFields,
        total: total(1),
        code: derived({
          from: ['price'],
          schema: z.string(),
          compute: ({ price }: { price: number }) => (version === 1 ? `${price}` : 'same'),
          version,
          unique: true,
        }),
      }),
    )
  const { file } = await fileWithOffers(code(1))
  await expect(storeOf(file).open([code(2)])).rejects.toThrow("'code'")
})

test('a start ends where unique values move from one item to another, and says what to do', async () => {
  const moving = (version: number, name = 'code') =>
    one(
      model('offer', {
        ...offerFields,
        total: total(1),
        [name]: derived({
          from: ['price'],
          schema: z.number(),
          compute: ({ price }: { price: number }) =>
            version === 1 ? price : itemCount + 1 - price,
          version,
          unique: true,
        }),
      }),
    )
  const { file } = await fileWithOffers(moving(1))
  await expect(storeOf(file).open([moving(2)])).rejects.toThrow(
    "The field 'code' of the model 'offer' is unique, but the function gives the item 'o0000' what another stored item has.",
  )
  const renamed = moving(2, 'number')
  const next = storeOf(file)
  await next.open([renamed])
  expect((await valuesOf(next, renamed)).get(idOf(0))).toMatchObject({ number: itemCount })
})

test('a plan says what is computed, and changes nothing', async () => {
  const { file, old } = await fileWithOffers()
  expect(await old.admin!.plan!([offer(2)])).toEqual([
    {
      kind: 'rewrite',
      summary: "Compute 'total' of 600 items of 'offers'.",
      sql: [],
      itemCount,
    },
    {
      kind: 'instant',
      endsOldProcesses: true,
      summary: "Note the members of 'offers'. No item changes.",
      sql: [],
    },
  ])
  expect((await valuesOf(old, offer(1))).get(idOf(7))).toMatchObject({ total: 8, revision: 1 })
  const next = storeOf(file)
  await next.open([offer(2)])
  expect(await next.admin!.plan!([offer(2)])).toEqual([])
})
