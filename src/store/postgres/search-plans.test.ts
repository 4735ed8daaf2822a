import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { field } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { toFieldPath } from '../../query/conditions.ts'
import type { QueryPlan, SearchCondition, SortKey } from '../../query/query-plan.ts'
import type { Store } from '../store.ts'
import { PostgresConnection } from './connection.ts'
import { postgres } from './postgres-store.ts'

const weights = { title: 3, 'author.name': 2, summary: 1, note: 1, remark: 1 }
const models = describeModels([
  model('author', { name: z.string() }),
  model('shelf', { name: z.string() }),
  model(
    'book',
    {
      title: z.string(),
      summary: z.string(),
      note: z.string(),
      remark: z.string(),
      price: field(z.number(), { index: true }),
      pages: z.number(),
      author: toOne('author'),
      shelf: toOne('shelf'),
    },
    { search: { ...weights, 'shelf.name': 1 } },
  ),
])
const book = models[2]!

const bookCount = 100_000
const idOf = (n: number) => `b${String(n).padStart(6, '0')}`

/** Common words, and words that occur once: the planner takes others for words of many rows. */
const rowsSql = `
  insert into authors (id, name) select 'a' || n, case n when 0 then 'Busy' else 'Name' || n end
    from generate_series(0, 1000) n;
  insert into shelves (id, name) select 's' || n, 'shelf' || n from generate_series(0, 3) n;
  insert into books (id, title, summary, note, remark, price, pages, author_id, shelf_id)
    select 'b' || lpad(n::text, 6, '0'), 'order' || n || case when n % 20 = 0 then ' common' else '' end
        || case when n > 80000 then ' late' else '' end,
      'code' || n || case when n % 2 = 0 then ' often' else '' end
        || case when n % 10000 = 0 then ' common seldom' else '' end,
      'note' || n, 'remark' || n, n % 1000, n % 777, 'a' || case when n % 2 = 1 then 0 else n % 1000 + 1 end,
      's' || n % 4
    from generate_series(1, ${bookCount}) n;
  analyze authors; analyze shelves; analyze books`

const numbers = Array.from({ length: bookCount }, (_, index) => index + 1)
const idsWhere = (holds: (n: number) => boolean) => numbers.filter(holds).map(idOf)

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

/** How many rows of tables a statement read. */
function rowsRead(node: PlanNode): number {
  const own =
    node['Relation Name'] === undefined
      ? 0
      : (node['Actual Rows'] +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)) *
        node['Actual Loops']
  return (node.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), own)
}

describePostgres('A page of a search', () => {
  let database: TestDatabase
  let store: Store
  /** Of each statement since the last page. */
  let readCounts: number[] = []
  let explained: string[] = []

  beforeAll(async () => {
    database = await newDatabase()
    store = postgres(database.url, { maxConnections: 1 })
    await store.open(models)
    const server = await sharedServer()
    for (const sql of rowsSql.split(';')) await server.run(sql, [], database.name)
    const { run } = PostgresConnection.prototype
    vi.spyOn(PostgresConnection.prototype, 'run').mockImplementation(async function (
      this: PostgresConnection,
      statements,
      options,
    ) {
      for (const { sql, parameters } of statements) {
        if (!sql.startsWith('select') || !sql.includes('"books"')) continue
        const explain = { sql: `explain (analyze, format json) ${sql}`, parameters }
        const [result] = await run.call(this, [explain], { timeoutMs: 60_000 })
        const [{ Plan: plan }] = JSON.parse(result!.rows.join('')) as [{ Plan: PlanNode }]
        readCounts.push(rowsRead(plan))
        explained.push(JSON.stringify(plan))
      }
      return run.call(this, statements, options)
    })
  }, 120_000)
  afterAll(async () => {
    vi.restoreAllMocks()
    await store?.close()
    await database?.drop()
  })

  const searchFor = (
    text: string,
    fields: Readonly<Record<string, number>> = weights,
  ): SearchCondition => ({
    kind: 'search',
    fields: Object.entries(fields).map(([name, weight]) => ({ path: toFieldPath(name), weight })),
    terms: text
      .split(' ')
      .map((word) =>
        word.endsWith('*')
          ? { words: word.slice(0, -1), ending: 'beginning', isExcluded: false }
          : { words: word, ending: 'word', isExcluded: false },
      ),
  })

  const page = async (plan: Pick<QueryPlan, 'condition'> & Partial<QueryPlan>) => {
    readCounts = []
    const { entries } = await store.page(book, {
      sort: [],
      pageRange: { kind: 'offset', offset: 0, limit: 20 },
      ...plan,
    })
    return {
      ids: entries.map(({ id }) => id),
      rows: readCounts.reduce((sum, count) => sum + count, 0),
    }
  }
  const byPrice: SortKey = { path: toFieldPath('price'), direction: 'asc' }
  const byPages: SortKey = { path: toFieldPath('pages'), direction: 'asc' }
  const sortedBy = (of: (n: number) => number, holds: (n: number) => boolean) =>
    numbers
      .filter(holds)
      .sort((one, other) => of(one) - of(other) || one - other)
      .map(idOf)

  it.each<[string, string, (n: number) => boolean, number]>([
    ['a word of one row', 'order777', (n) => n === 777, 100],
    ['a word of no row', 'nothing', () => false, 100],
    ['a beginning of no row', 'nothing*', () => false, 100],
    ['a word of some rows', 'seldom', (n) => n % 10_000 === 0, 100],
    ['a beginning of some rows', 'order7777*', (n) => /^7777/.test(String(n)), 200],
    ['a word of each second row', 'often', (n) => n % 2 === 0, 3_000],
    ['a word of each twentieth row', 'common', (n) => n % 20 === 0, 12_000],
    ['a usual word and a rare one', 'often seldom', (n) => n % 10_000 === 0, 100],
    ['two usual words', 'often common', (n) => n % 20 === 0, 12_000],
    ['a word that only the last rows have', 'late', (n) => n > 80_000, 50_000],
    ['the name of an author of some rows', 'name7', (n) => n % 1000 === 6 && n % 2 === 0, 1_500],
    ['the name of an author of each second row', 'busy', (n) => n % 2 === 1, 30_000],
  ])(
    'reads few rows for %s, in the order of ids and of an index',
    async (_, text, holds, maxRows) => {
      const condition = searchFor(text)
      const expected = idsWhere(holds)
      const first = await page({ condition })
      expect(first.ids).toEqual(expected.slice(0, 20))
      expect(first.rows).toBeLessThan(maxRows)
      const second = await page({ condition, pageRange: { kind: 'offset', offset: 20, limit: 20 } })
      expect(second.ids).toEqual(expected.slice(20, 40))
      const cheapest = await page({ condition, sort: [byPrice] })
      expect(cheapest.ids).toEqual(sortedBy((n) => n % 1000, holds).slice(0, 20))
      expect(cheapest.rows).toBeLessThan(maxRows)
    },
  )

  it('reads the rows with the words, and no others, for an order that no index has', async () => {
    const { ids, rows } = await page({ condition: searchFor('common'), sort: [byPages] })
    expect(ids).toEqual(
      sortedBy(
        (n) => n % 777,
        (n) => n % 20 === 0,
      ).slice(0, 20),
    )
    expect(rows).toBeLessThan(10_000)
  })

  it.each<[string, string, (n: number) => boolean, number]>([
    ['a word of each second row, in the last of the texts', 'often', (n) => n % 2 === 0, 6_000],
    ['a word of each twentieth row', 'common', (n) => n % 20 === 0, 15_000],
    ['a word that only the last rows have', 'late', (n) => n > 80_000, 6_000],
    ['the name of an author of each second row', 'busy', (n) => n % 2 === 1, 30_000],
    ['a word of no row', 'nothing', () => false, 100],
    ['a beginning of no row', 'nothing*', () => false, 100],
    ['a word of one row', 'code777', (n) => n === 777, 100],
  ])('reads few rows for %s, by relevance', async (_, text, holds, maxRows) => {
    const sort: readonly SortKey[] = [{ search: searchFor(text), direction: 'desc' }]
    const { ids, rows } = await page({ condition: searchFor(text), sort })
    expect(ids).toEqual(idsWhere(holds).toReversed().slice(0, 20))
    expect(rows).toBeLessThan(maxRows)
  })

  it('has items before others whose words are in a more important text', async () => {
    const sort: readonly SortKey[] = [{ search: searchFor('often common'), direction: 'desc' }]
    const { ids } = await page({ condition: searchFor('often common'), sort })
    expect(ids).toEqual(
      idsWhere((n) => n % 20 === 0)
        .toReversed()
        .slice(0, 20),
    )
  })

  const listAll = async (condition: SearchCondition) => {
    readCounts = []
    const ids: string[] = []
    const all = { kind: 'offset', offset: 0, limit: Number.POSITIVE_INFINITY } as const
    for await (const items of store.list(book, { condition, sort: [], pageRange: all }))
      ids.push(...items.map(({ id }) => id))
    return { ids, rows: readCounts.reduce((sum, count) => sum + count, 0) }
  }

  it.each<[string, string, (n: number) => boolean, number]>([
    ['a word of no row', 'nothing', () => false, 100],
    ['a beginning of no row', 'nothing*', () => false, 100],
    ['a word of each twentieth row', 'common', (n) => n % 20 === 0, 40_000],
  ])('reads few rows for all items with %s', async (_, text, holds, maxRows) => {
    const { ids, rows } = await listAll(searchFor(text))
    expect(ids).toEqual(idsWhere(holds))
    expect(rows).toBeLessThan(maxRows)
  })

  it.each(['nothing', 'nothing*'])(
    'does not read the table for a page with %s where all rows relate to few items',
    async (text) => {
      const { ids, rows } = await page({
        condition: searchFor(text, { title: 2, 'shelf.name': 1 }),
        sort: [byPrice],
      })
      expect(ids).toEqual([])
      expect(rows).toBeLessThan(12_000)
    },
  )

  it('is read in classes of relevance by the reader of items, and not as one text', async () => {
    const pageRange = { kind: 'offset', offset: 0, limit: 20 } as const
    const rawPage = (sort: readonly SortKey[]) =>
      store.fastPaths!.rawJson!.page(
        book,
        { condition: searchFor('often'), sort, pageRange },
        [],
        'text',
      )
    expect(await rawPage([{ search: searchFor('often'), direction: 'desc' }])).toBeUndefined()
    expect(await rawPage([])).toMatchObject({ hasMore: true })
  })

  it('begins no other processes, which takes longer than to read few rows', async () => {
    explained = []
    await page({ condition: searchFor('nothing*') })
    expect(explained).toHaveLength(2)
    for (const plan of explained) expect(plan).not.toContain('Workers')
  })
})
