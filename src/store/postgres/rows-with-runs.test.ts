import fc from 'fast-check'
import { field, hash, image, list, model, struct, toMany, toOne } from 'resourcery'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { idEquals, toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { ColumnCodec } from '../tables/column-type.ts'
import type { Engine } from '../tables/engine.ts'
import { tablesStore } from '../tables/tables-store.ts'
import { PostgresDatabase } from './database.ts'
import { postgresEngine } from './engine.ts'

const text = z.string().optional()
const Sort = model('sort', { name: text })
const Thing = model('thing', {
  title: z.string(),
  note: field(z.string().nullable(), { wire: 'a-note' }),
  secret: field(text, { hidden: true }),
  count: z.int(),
  isNew: z.boolean().optional(),
  pin: field(z.int().optional(), { hidden: true }),
  day: z.iso.date().nullable(),
  code: field(z.string().nullish(), { writeOnly: true }),
  ratio: z.number().optional(),
  scan: struct({ page: image() }),
  at: z.iso.datetime().optional(),
  key: field(z.uuid().optional(), { hidden: true }),
  tags: z.array(z.string()),
  last: text,
  pages: list(struct({ page: image(), number: z.int() })),
  sort: toOne('sort', { optional: true }),
  other: toOne('sort', { optional: true, wire: 'another' }),
  sorts: toMany('sort'),
  photo: image(),
  plan: image({ hidden: true }),
  hash: hash(),
})
const Named = model(
  'named',
  {
    a: text,
    b: text,
    c: text,
    d: text,
    sort: toOne('sort', { optional: true, column: 'sort' }),
    sorts: toMany('sort', { through: { table: 'named_sorts', owner: 'named', target: 'sort' } }),
    hash: hash({ column: 'changed' }),
  },
  { table: 'named_things' },
)
const Plain = model('plain', { a: text, b: text, sorts: toMany('sort'), c: text, d: text })
const [sort, thing, plain] = describeModels([Sort, Thing, Plain]) as [
  ModelDescription,
  ModelDescription,
  ModelDescription,
]

/** PostgreSQL without the SQL that writes JSON. */
const withoutJson = (codec: ColumnCodec) => ({ ...codec, json: undefined })
const columnsEngine: Engine = {
  ...postgresEngine,
  codecFor(type, databaseType) {
    const codec = postgresEngine.codecFor(type, databaseType)
    return codec && withoutJson(codec)
  },
}

const resource = fc
  .tuple(fc.uuid(), fc.string())
  .map(
    ([key, fileName]) =>
      new StoredResource({ contentType: 'image/png', size: 1, hash: key, fileName }, key),
  )
const string = fc
  .oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '"', '\\', ']"', ',"sort":"x"', '\t'))
  .filter((value) => !value.includes('\0') && !/\p{Surrogate}/u.test(value))
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 })
const sortIds = ['a', '"', '\\', 'x"],', '🎬', ']']
const thingValues = fc.record({
  title: string,
  note: fc.option(string),
  secret: maybe(string),
  count: fc.maxSafeInteger(),
  scan: fc.record({ page: fc.option(resource) }),
  isNew: maybe(fc.boolean()),
  pin: maybe(fc.integer()),
  day: fc.option(fc.constantFrom('2024-02-29', '0001-01-01', '9999-12-31')),
  code: maybe(string),
  ratio: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
  at: maybe(fc.constantFrom('2024-02-29T10:00:00Z', '2024-02-29T10:00:00.000001Z')),
  key: maybe(fc.uuid()),
  tags: fc.array(string, { maxLength: 3 }),
  last: maybe(string),
  pages: fc.array(fc.record({ page: fc.option(resource), number: fc.integer() }), { maxLength: 2 }),
  sort: fc.option(fc.constantFrom(...sortIds)),
  other: fc.option(fc.constantFrom(...sortIds)),
  sorts: fc.subarray(sortIds),
  photo: fc.option(resource),
  plan: fc.option(resource),
})

describePostgres('Rows whose members PostgreSQL writes', () => {
  let database: TestDatabase
  let store: ReturnType<typeof tablesStore>
  let columnsStore: ReturnType<typeof tablesStore>

  beforeAll(async () => {
    database = await newDatabase()
    const options = { manages: true, versionSecret: 'a secret of the tests', addsForeignKeys: true }
    const open = (engine: Engine) =>
      tablesStore(engine, new PostgresDatabase(database.url, { maxConnections: 2 }), options)
    store = open(postgresEngine)
    columnsStore = open(columnsEngine)
    for (const each of [store, columnsStore]) await each.open([sort, thing, plain])
    for (const id of sortIds) await write(sort, { id, name: id })
  }, 120_000)
  afterAll(async () => {
    await store?.close()
    await columnsStore?.close()
    await database?.drop()
  })

  const write = (model: ModelDescription, values: StoredValues) =>
    store.write((transaction) => transaction.insert(model, createStoredItem(model, values, 1)))
  const itemsOf = async (of: typeof store, model: ModelDescription) => {
    const items: StoredItem[] = []
    for await (const batch of of.list(model, allItemsPlan)) items.push(...batch)
    return items
  }
  const pageOf = async (
    of: typeof store,
    model: ModelDescription,
    format: 'text' | 'textAndOffset',
  ) => {
    const plan = { ...allItemsPlan, pageRange: { ...allItemsPlan.pageRange, limit: 1_000 } }
    const page = await of.fastPaths!.rawJson!.page(model, plan, model.ownedRelations, format)
    return { ...page, lines: Buffer.from(page!.lines).toString() }
  }

  it('are those of which JavaScript writes each member', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(thingValues, async (values) => {
        const written = await write(thing, { ...values, id: `${count++} "` })
        expect(written.kind).toBe('written')
      }),
      { numRuns: 200 },
    )
    for (const id of ['1', '2']) await write(plain, { id, ...{ b: 'b', sorts: ['a'] } })
    const [one] = await itemsOf(store, thing)
    expect(one).toMatchObject({ hash: expect.any(String), revision: 1 })
    for (const model of [sort, thing, plain]) {
      expect(await itemsOf(store, model)).toEqual(await itemsOf(columnsStore, model))
      for (const format of ['text', 'textAndOffset'] as const)
        expect(await pageOf(store, model, format)).toEqual(
          await pageOf(columnsStore, model, format),
        )
    }
  }, 120_000)

  it('have versions of columns that the model names', async () => {
    const run = async (sql: string) => (await sharedServer()).run(sql, [], database.name)
    await run(`create table named_things (id text primary key, a text, b text, c text, d text, sort text, changed integer not null);
      create table named_sorts (named text, sort text, primary key (named, sort));
      insert into named_things values ('1', 'a', null, 'c', 'd', 'a', 7), ('2', null, null, null, null, null, 8);
      insert into named_sorts values ('1', 'a'), ('1', 'b')`)
    const [others, named] = describeModels([Sort, Named]) as [ModelDescription, ModelDescription]
    const options = {
      manages: false,
      versionSecret: 'a secret of the tests',
      addsForeignKeys: true,
    }
    const items = []
    for (const engine of [postgresEngine, columnsEngine]) {
      const each = tablesStore(
        engine,
        new PostgresDatabase(database.url, { maxConnections: 2 }),
        options,
      )
      await each.open([others, named])
      items.push(await itemsOf(each, named))
      await each.close()
    }
    expect(items[0]).toEqual(items[1])
    expect(JSON.parse(items[0]![0]!.text)).toMatchObject({ a: 'a', sort: 'a', sorts: ['a', 'b'] })
  })

  it('are written after the sort, for the rows of the page only', async () => {
    const reads = vi.spyOn(PostgresDatabase.prototype, 'read')
    const sort = [{ path: toFieldPath('title'), direction: 'asc' as const }]
    await store.page(thing, {
      ...allItemsPlan,
      sort,
      pageRange: { ...allItemsPlan.pageRange, limit: 20 },
    })
    const [{ sql, parameters }] = reads.mock.calls[0]![0] as [Statement]
    reads.mockRestore()
    const planner = new PostgresDatabase(database.url, { maxConnections: 1 })
    const explain = { sql: `explain (verbose, costs off) ${sql}`, parameters }
    const [plan] = await planner.read([explain])
    await planner.close()
    const text = plan!.rows.join('\n')
    const [, sorted] = /-> {2}Sort\n +Output: (.*)\n +Sort Key: .*title/.exec(text)!
    expect(text).toContain(',"count":')
    expect(sorted).not.toContain(',"count":')
  })

  it('have few cells', async () => {
    const required = { title: '', note: null, count: 1, day: null, scan: {}, tags: [], pages: [] }
    await write(thing, { id: 'few', ...required })
    const reads = vi.spyOn(PostgresDatabase.prototype, 'read')
    for (const each of [store, columnsStore]) await each.find(thing, idEquals('few'))
    const results = await Promise.all(reads.mock.results.map(({ value }) => value))
    reads.mockRestore()
    expect(results.map(([{ rows }]) => rows[0].length)).toEqual([13, 22])
  })
})
