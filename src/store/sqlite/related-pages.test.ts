import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { author, book, bookshelf, bookshelfTable, temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { describe } from '../../model/describe.ts'
import type { ManyRelation, ModelDescription } from '../../model/description.ts'
import { toMany, toOne } from '../../model/field.ts'
import { model } from '../../model/model.ts'
import { always, pathOf } from '../../query/conditions.ts'
import type { SlicePlan } from '../../query/query-plan.ts'
import { storedItem } from '../item-text.ts'
import type { Statement } from './asking.ts'
import { type Connection, connection } from './connection.ts'
import { loadDriver } from './driver.ts'
import { elsewhere as long } from './elsewhere.ts'
import { layoutOf, tableOf } from './layout.ts'
import { prepareTables } from './prepare-tables.ts'
import { queries } from './queries.ts'
import { relatedPages } from './related-pages.ts'
import type { Row } from './rows.ts'

const books = author.byName.get('books') as ManyRelation
const ids = Array.from({ length: 1_000 }, (_, index) => `a-${index}`)

function planOf(limit: number, sort: SlicePlan['sort'] = []): SlicePlan {
  return { condition: always, sort, window: { kind: 'slice', skip: 0, limit } }
}

/** Two books of each author, and the statements that are run from then on. */
async function filled(): Promise<{ readonly watched: Connection; readonly ran: string[] }> {
  const made = connection((await loadDriver()).open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => made.close())
  prepareTables(made, bookshelf.map(layoutOf))
  const insert = made.prepared('insert into books (id, text, split, revision) values (?, ?, ?, 1)')
  made.exec('begin')
  for (const [index, id] of [...ids, ...ids].entries()) {
    const { text, split } = storedItem(book, { id: `b-${index}`, title: 'x', price: index, author: id, genres: [] }, 1)
    insert.run([`b-${index}`, text, split])
  }
  made.exec('commit')
  const ran: string[] = []
  const watched: Connection = {
    ...made,
    prepared: (sql) => {
      ran.push(sql)
      return made.prepared(sql)
    },
  }
  return { watched, ran }
}

async function countOf(asked: ReturnType<ReturnType<typeof relatedPages>>): Promise<number> {
  let count = 0
  for await (const batch of asked) count += batch.length
  return count
}

test('asks one statement, however many owners there are', async () => {
  const { watched, ran } = await filled()
  const pages = relatedPages(watched, queries(bookshelfTable), undefined)
  for (const owners of [ids.slice(0, 1), ids.slice(0, 100), ids]) {
    ran.length = 0
    expect(await countOf(pages(author, books, owners, planOf(6)))).toBe(owners.length * 2)
    expect(ran).toHaveLength(1)
  }
})

test('leaves to the scan worker what looks at many items of a large table', async () => {
  const { watched, ran } = await filled()
  const elsewhere: string[] = []
  const away = long(
    {
      rows: async ({ sql, parameters }: Statement): Promise<Row[]> => {
        elsewhere.push(sql)
        return watched.prepared(sql).all(parameters)
      },
      list: () => {
        throw new Error('No list is asked for.')
      },
      close: async () => {},
    },
    () => true,
    60_000,
  )
  const pages = relatedPages(watched, queries(bookshelfTable), away)
  const byPrice = [{ path: pathOf('price'), direction: 'desc' }] as const
  expect(await countOf(pages(author, books, ids.slice(0, 100), planOf(6)))).toBe(200)
  expect([ran.length, elsewhere.length], 'the index is left when each page is full').toEqual([1, 0])
  expect(await countOf(pages(author, books, ids.slice(0, 100), planOf(6, byPrice)))).toBe(200)
  expect([ran.length, elsewhere.length], 'few enough, once counted').toEqual([3, 0])
  expect(await countOf(pages(author, books, ids, planOf(6, byPrice)))).toBe(2_000)
  expect(elsewhere, 'too many').toHaveLength(1)
})

test('walks an index over the relation and a sort from each owner to its page', async () => {
  const models = describe([
    model('shelf', { notes: toMany('note', { inverse: 'shelf' }) }),
    model('note', { rank: z.int(), shelf: toOne('shelf') }, { indexes: [['shelf', '-rank']] }),
  ])
  const [shelf] = models as readonly [ModelDescription, ModelDescription]
  const made = connection((await loadDriver()).open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => made.close())
  prepareTables(made, models.map(layoutOf))
  const tables = new Map(models.map((of) => [of, tableOf(layoutOf(of), new Set())]))
  const asked = queries((of) => tables.get(of)!)
  const notes = shelf.byName.get('notes') as ManyRelation
  const by = (direction: 'asc' | 'desc') =>
    asked.related(shelf, notes, ['s'], planOf(5, [{ path: pathOf('rank'), direction }]))
  const { sql, parameters } = by('desc').pages()
  const steps = made
    .prepared(`explain query plan ${sql}`)
    .all(parameters)
    .map((row) => String(row[3]))
  const inner = steps.slice(steps.findIndex((step) => step.startsWith('CORRELATED')))
  expect([by('desc').isWalk, by('asc').isWalk]).toEqual([true, false])
  expect(inner[1]).toMatch(/SEARCH f USING (COVERING )?INDEX notes\(text\.shelf/)
  expect(
    inner.filter((step) => step.includes('TEMP B-TREE')),
    'only the few on the pages are sorted',
  ).toHaveLength(1)
})
