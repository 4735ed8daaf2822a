import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { field } from '../../../model/declare/field.ts'
import { model } from '../../../model/declare/model.ts'
import { describeModels } from '../../../model/describe/describe-models.ts'
import { always, idEquals } from '../../../query/conditions.ts'
import type { Position, QueryPlan } from '../../../query/query-plan.ts'
import type { Store } from '../../store.ts'
import { loadDriver } from '../driver.ts'
import { sqlite } from '../sqlite.ts'

const [book] = describeModels([
  model('book', {
    count: field(z.int().optional(), { index: true }),
    price: z.number().optional(),
    inStock: z.boolean().optional(),
    isbn: field(z.string().optional(), { unique: true }),
    soldAt: field(z.iso.datetime({ offset: true }).optional(), { index: true }),
    tags: z.array(z.string()).optional(),
    size: z.object({ width: z.number() }).optional(),
  }),
])

/** Tables of the store are strict, so that another program can write no other types. */
const texts = ["'abc'", "'1.5'", "'{'", "''", 'null']
const valuesByColumn = {
  count: ['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', 'null'],
  price: ['1e308', '5e-324', '-1.5', 'null'],
  in_stock: ['0', '1', '7', 'null'],
  isbn: ["'abc'", "'9'", "''", 'null'],
  sold_at: [...texts, "'2024-05-01 09:00'"],
  tags: texts,
  size: [...texts, "'[]'", "'null'"],
}

let folder: string
let store: Store
let ids: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
  const file = join(folder, 'books.db')
  store = sqlite(file, { layout: 'tables', durability: 'normal' })
  await store.open([book!])
  const other = (await loadDriver()).open(file, { readOnly: false })
  ids = []
  for (const [column, values] of Object.entries(valuesByColumn))
    for (const [index, value] of values.entries()) {
      other.exec(`insert into books (id, ${column}) values ('${column}-${index}', ${value})`)
      ids.push(`${column}-${index}`)
    }
  expect(() => other.exec("insert into books (id, isbn) values ('b', x'00')")).toThrow('TEXT')
  other.close()
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

it.each(['count', 'price', 'inStock', 'isbn', 'soldAt', 'size.width'])(
  'sorts rows with values of unexpected types by %s, each on one page',
  async (name) => {
    const seen: string[] = []
    for (let position: Position | undefined, pages = 0; pages < 20; pages++) {
      const plan: QueryPlan = {
        condition: always,
        sort: [{ path: { names: name.split('.') }, direction: 'asc' }],
        pageRange: position
          ? { kind: 'after', position, limit: 5 }
          : { kind: 'offset', offset: 0, limit: 5 },
      }
      const { entries } = await store.page(book!, plan)
      seen.push(...entries.map(({ id }) => id))
      position = entries.at(-1)?.position
      if (!position) break
    }
    expect(seen.toSorted()).toEqual(ids.toSorted())
  },
)

it('reads each row as JSON', async () => {
  for (const id of ids) {
    const item = await store.find(book!, idEquals(id))
    expect(JSON.parse(item!.text)).toMatchObject({ id })
  }
})

it.each([
  [
    'a member of an array',
    { kind: 'members', path: { names: ['tags'] }, quantity: 'any', values: ['a'] },
  ],
  [
    'a member of an object',
    { kind: 'compare', path: { names: ['size', 'width'] }, operator: 'greaterThan', value: 1 },
  ],
  ['a text', { kind: 'text', path: { names: ['isbn'] }, operator: 'contains', value: 'b' }],
  [
    'a date-time',
    {
      kind: 'compare',
      path: { names: ['soldAt'] },
      operator: 'lessThan',
      value: '2024-01-01T00:00:00Z',
    },
  ],
] as const)('finds rows by %s among them', async (_, condition) => {
  expect(await store.count(book!, condition)).toBeTypeOf('number')
})

it('reads an integer that JavaScript cannot hold as a text', async () => {
  const item = await store.find(book!, idEquals('count-0'))
  expect(JSON.parse(item!.text)).toEqual({ id: 'count-0', count: '9223372036854775807' })
})
