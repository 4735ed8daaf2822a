import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { disposeTogether } from '../../../test/support/dispose-together.ts'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { field, hash } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { toMany, toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import type { LoggedChange } from '../change-log.ts'
import type { Store } from '../store.ts'
import { StoreUnavailable } from '../store-failures.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import { loadDriver } from './driver.ts'
import { sqlite } from './sqlite.ts'
import { maxUndoSteps } from './undo-log.ts'

const [film] = describeModels([
  model('film', {
    title: field(z.string(), { index: true }),
    code: field(z.string().optional(), { unique: true }),
    secret: field(z.string().optional(), { hidden: true }),
    origin: toOne('film', { optional: true }),
    sequels: toMany('film'),
    hash: hash(),
  }),
]) as [ReturnType<typeof describeModels>[number]]

async function setUp(): Promise<{ store: Store; file: string }> {
  const file = temporaryFile()
  const store = sqlite(file, { durability: 'normal' })
  onTestFinished(() => disposeTogether(() => store.close()))
  await store.open([film])
  return { store, file }
}

function created(id: string): LoggedChange {
  const after = createStoredItem(film, { id, title: id, origin: null, sequels: [] }, 1)
  const change = { kind: 'create' as const, model: film.name, id, timeMs: 0, caller: null }
  return { ...change, before: null, after }
}

type Change =
  | { readonly kind: 'remove'; readonly id: string }
  | {
      readonly kind: 'insert' | 'replace'
      readonly id: string
      readonly title: string
      readonly code: string | undefined
      readonly secret: string | undefined
      readonly origin: string | null
      readonly sequels: readonly string[]
    }

interface Work {
  readonly changes: readonly Change[]
  readonly fails: boolean
}

async function apply(transaction: StoreTransaction, change: Change): Promise<void> {
  if (change.kind === 'remove') return transaction.remove(film, change.id)
  const { kind, id, title, code, secret, origin, sequels } = change
  const item = createStoredItem(film, { id, title, code, secret, origin, sequels }, 1, 'salt')
  if (kind === 'insert') await transaction.insert(film, item)
  else await transaction.replace(film, item).catch(() => undefined)
}

function run(store: Store, { changes, fails }: Work): Promise<void> {
  return store.write(async (transaction) => {
    for (const change of changes) await apply(transaction, change)
    if (fails) throw new Error('no')
  })
}

/** Every row of every table. */
async function contentOf(file: string): Promise<unknown> {
  const database = (await loadDriver()).open(file, { readOnly: true })
  try {
    return ['select * from "films"', 'select * from "films.sequels"'].map((sql) =>
      database.prepare(sql).all([]),
    )
  } finally {
    database.close()
  }
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('remove' as const), id }),
  fc.record({
    kind: fc.constantFrom('insert' as const, 'replace' as const),
    id,
    title: fc.constantFrom('x', 'y', 'z'),
    code: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
    secret: fc.option(fc.constantFrom('s', 't'), { nil: undefined }),
    origin: fc.option(id),
    sequels: fc.uniqueArray(id, { maxLength: 3 }),
  }),
)
const work: fc.Arbitrary<Work> = fc.record({
  changes: fc.array(change, { maxLength: maxUndoSteps + 4, size: 'large' }),
  fails: fc.boolean(),
})

test('a group of transactions leaves what those that succeed leave one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(work, { minLength: 2, maxLength: 8 }), async (works) => {
      const together = await setUp()
      // The first of a group is rolled back with it; this one lets the others share a group.
      const first = run(together.store, { changes: [], fails: false })
      await Promise.allSettled([first, ...works.map((one) => run(together.store, one))])
      const alone = await setUp()
      for (const one of works) if (!one.fails) await run(alone.store, one)
      expect(await contentOf(together.file)).toEqual(await contentOf(alone.file))
    }),
    { numRuns: 60, interruptAfterTimeLimit: 15_000 },
  )
})

test.each([1, 2, 1_500])(
  'what a transaction of a group has added to the log, %i changes, is undone with it',
  async (count) => {
    const store = sqlite(temporaryFile(), { durability: 'normal' })
    onTestFinished(() => disposeTogether(() => store.close()))
    await store.open([film], { keepsChanges: true })
    const add = (ids: readonly string[], fails = false) =>
      store.write(async ({ changes }) => {
        await changes!.add(ids.map(created))
        if (fails) throw new Error('no')
      })
    const many = Array.from({ length: count }, (_, index) => `many-${index}`)
    const works = [add(['first']), add(many, true), add(many), add(['last'])]
    const settled = await Promise.allSettled(works)
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    const read = await store.changes!.read(undefined, 2_000)
    if (read.kind !== 'changes') throw new Error(read.kind)
    expect(read.entries.map((entry) => entry.kind === 'create' && entry.id)).toEqual([
      'first',
      ...many,
      'last',
    ])
    const transactions = new Set(read.entries.map(({ transaction }) => transaction))
    expect(transactions.size).toBe(3)
    const numbers = read.entries.map(({ position }) => Number.parseInt(position.split('.')[2]!, 36))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  },
)

test('many changes of one transaction are undone too', async () => {
  const { store, file } = await setUp()
  const changes = Array.from(
    { length: maxUndoSteps * 3 },
    (_, n): Change => ({
      kind: n % 3 === 2 ? 'replace' : 'insert',
      id: `f-${n % 3 === 2 ? n - 1 : n}`,
      title: `${n}`,
      code: undefined,
      secret: undefined,
      origin: null,
      sequels: ['f-0', `f-${n}`],
    }),
  )
  await run(store, { changes: changes.slice(0, 3), fails: false })
  const before = await contentOf(file)
  const settled = await Promise.allSettled([
    run(store, { changes: [], fails: false }),
    run(store, { changes: [{ kind: 'remove', id: 'f-0' }, ...changes.slice(3)], fails: true }),
    run(store, { changes: [], fails: false }),
  ])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await contentOf(file)).toEqual(before)
})

test('a transaction that SQLite rolled back by itself takes its group with it', async () => {
  const { store, file } = await setUp()
  const insert = (name: string): Change => ({
    kind: 'insert',
    id: name,
    title: name,
    code: undefined,
    secret: undefined,
    origin: null,
    sequels: [],
  })
  await run(store, { changes: [insert('a')], fails: false })
  const before = await contentOf(file)
  const database = (await loadDriver()).open(file, { readOnly: false })
  // Rolls back as SQLite does when the disk is full.
  database.exec(
    `create trigger "full" before insert on "films" when new.id = 'c' begin select raise(rollback, 'full'); end`,
  )
  database.close()
  // Ignores the error, and tries to go on.
  const goesOn = () =>
    store.write(async (transaction) => {
      await apply(transaction, insert('c')).catch(() => undefined)
      await apply(transaction, insert('d'))
    })
  const statusOf = async (...works: Promise<unknown>[]) =>
    (await Promise.allSettled(works)).map(({ status }) => status)
  const withoutChanges: Work = { changes: [], fails: false }
  expect(await statusOf(run(store, withoutChanges), goesOn(), run(store, withoutChanges))).toEqual([
    'rejected',
    'rejected',
    'fulfilled',
  ])
  expect(await statusOf(goesOn(), run(store, withoutChanges))).toEqual(['rejected', 'fulfilled'])
  const added = run(store, { changes: [insert('b')], fails: false })
  const full = run(store, { changes: [insert('c')], fails: false })
  await expect(added).rejects.toThrow(StoreUnavailable)
  await expect(full).rejects.toThrow(StoreUnavailable)
  expect(await contentOf(file)).toEqual(before)
})

test('a change that cannot be undone rejects the whole group', async () => {
  const { store, file } = await setUp()
  const insert = (name: string, code: string): Change => ({
    kind: 'insert',
    id: name,
    title: name,
    code,
    secret: undefined,
    origin: null,
    sequels: [],
  })
  await run(store, { changes: [insert('a', '1'), insert('b', '2')], fails: false })
  const before = await contentOf(file)
  const database = (await loadDriver()).open(file, { readOnly: false })
  // The row that is left takes the unique value of the one that is deleted.
  database.exec(
    `create trigger "taking" after delete on "films" when old.id = 'a' begin
       update "films" set text = old.text, "text.code" = old."text.code" where id = 'b';
     end`,
  )
  database.close()
  const settled = await Promise.allSettled([
    run(store, { changes: [insert('c', '3')], fails: false }),
    run(store, { changes: [{ kind: 'remove', id: 'a' }], fails: true }),
  ])
  for (const one of settled)
    expect(one).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) })
  expect(await contentOf(file)).toEqual(before)
})
