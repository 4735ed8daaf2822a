import { field, type IQuery, model, type QueryCallback, toMany, toOne } from 'resourcery'
import { printQueryPlan } from 'resourcery/store'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) })
const Genre = model('genre', { name: z.string() })
const Book = model('book', {
  title: z.string().nullish(),
  price: z.number().nullish(),
  inStock: z.boolean().nullish(),
  pageCount: field(z.int().nullish(), { wire: 'pages' }),
  size: z.object({ width: z.number() }).nullish(),
  tags: z.array(z.string()).nullish(),
  costPrice: field(z.number().nullish(), { hidden: true }),
  author: toOne('author', { optional: true }),
  genres: toMany('genre'),
})

const books = [
  {
    id: 'b-1',
    title: 'Dune',
    price: 10,
    inStock: true,
    pageCount: 412,
    costPrice: 1,
    tags: ['a', 'b'],
    author: 'a-1',
    genres: ['g-1'],
  },
  {
    id: 'b-2',
    title: 'Emma',
    price: 5,
    inStock: false,
    size: { width: 3 },
    tags: ['b'],
    author: 'a-2',
    genres: ['g-1', 'g-2'],
  },
  { id: 'b-3', title: 'dune 2', price: 20.5, inStock: true, costPrice: 9, author: 'a-1' },
  { id: 'b-4' },
]

/** The call in the hook, and the books that match. */
const surface: readonly [does: string, narrow: QueryCallback, ids: readonly number[]][] = [
  ['equal', (query) => query.where('title').equal('Dune'), [1]],
  ['equal to null', (query) => query.where('title').equal(null), [4]],
  ['notEqual', (query) => query.where('title').notEqual('Dune'), [2, 3, 4]],
  ['notEqual to null', (query) => query.where('title').notEqual(null), [1, 2, 3]],
  ['anyOf', (query) => query.where('price').anyOf([5, 10]), [1, 2]],
  ['anyOf with null', (query) => query.where('price').anyOf([5, null]), [2, 4]],
  ['anyOf nothing', (query) => query.where('price').anyOf([]), []],
  ['noneOf', (query) => query.where('price').noneOf([5, 10]), [3, 4]],
  ['noneOf with null', (query) => query.where('price').noneOf([5, null]), [1, 3]],
  ['noneOf nothing', (query) => query.where('price').noneOf([]), [1, 2, 3, 4]],
  ['greaterThan', (query) => query.where('price').greaterThan(10), [3]],
  ['greaterThan null', (query) => query.where('price').greaterThan(null), [1, 2, 3]],
  ['greaterThanOrEqual', (query) => query.where('price').greaterThanOrEqual(10), [1, 3]],
  ['lessThan', (query) => query.where('price').lessThan(10), [2, 4]],
  ['lessThanOrEqual', (query) => query.where('price').lessThanOrEqual(10), [1, 2, 4]],
  ['contains', (query) => query.where('title').contains('une'), [1, 3]],
  ['startsWith', (query) => query.where('title').startsWith('D'), [1]],
  ['endsWith', (query) => query.where('title').endsWith('2'), [3]],
  ['like', (query) => query.where('title').like('_une%'), [1, 3]],
  ['isNull', (query) => query.where('inStock').isNull(), [4]],
  ['booleans', (query) => query.where('inStock').equal(false), [2]],
  ['containsAny of an array', (query) => query.where('tags').containsAny(['a', 'x']), [1]],
  ['containsAll of an array', (query) => query.where('tags').containsAll(['a', 'b']), [1]],
  [
    'containsAny of a relation to many',
    (query) => query.where('genres').containsAny(['g-2', 'g-9']),
    [2],
  ],
  [
    'containsAll of a relation to many',
    (query) => query.where('genres').containsAll(['g-1', 'g-2']),
    [2],
  ],
  ["names fields by the model's own names", (query) => query.where('pageCount').equal(412), [1]],
  ['reaches hidden fields', (query) => query.where('costPrice').greaterThan(1), [3]],
  ['reaches nested fields by dotted paths', (query) => query.where('size.width').equal(3), [2]],
  [
    'reaches fields of related items by dotted paths',
    (query) => query.where('author.name').equal('Frank'),
    [1, 3],
  ],
  ['reaches the identifier of a related item', (query) => query.where('author').equal('a-2'), [2]],
  [
    'narrows by each where in turn',
    (query) => query.where('author').equal('a-1').where('price').lessThan(15),
    [1],
  ],
  [
    'and()',
    (query) =>
      query.and(
        (part) => part.where('author').equal('a-1'),
        (part) => part.where('price').greaterThan(15),
      ),
    [3],
  ],
  ['and() of nothing', (query) => query.and(), [1, 2, 3, 4]],
  [
    'or()',
    (query) =>
      query.or(
        (part) => part.where('title').equal('Emma'),
        (part) => part.where('price').isNull(),
      ),
    [2, 4],
  ],
  ['or() of nothing', (query) => query.or(), []],
  [
    'or() whose parts hold several conditions',
    (query) =>
      query.or(
        (part) => part.where('author').equal('a-1').where('price').equal(10),
        (part) => part.where('author').equal('a-2').where('price').equal(10),
      ),
    [1],
  ],
  ['not()', (query) => query.not((part) => part.where('title').equal('Emma')), [1, 3, 4]],
  [
    'not() of several',
    (query) => query.not((part) => part.where('author').equal('a-1').where('price').equal(10)),
    [2, 3, 4],
  ],
  ['not() of nothing', (query) => query.not((part) => part), []],
  [
    'or() closed against what comes after',
    (query) =>
      query
        .or(
          (part) => part.where('title').equal('Emma'),
          (part) => part.where('title').equal('Dune'),
        )
        .where('author')
        .equal('a-1'),
    [1],
  ],
  ['sort', (query) => query.sort('price'), [4, 2, 1, 3]],
  ['sort upwards, said in words', (query) => query.sort('price', 'asc'), [4, 2, 1, 3]],
  ['sort downwards', (query) => query.sort('price', 'desc'), [3, 1, 2, 4]],
  ['sort by code point', (query) => query.sort('title'), [4, 1, 2, 3]],
  [
    'sort by a related field, then another',
    (query) => query.sort('author.name').sort('price', 'desc'),
    [4, 3, 1, 2],
  ],
  ['limit', (query) => query.limit(2), [1, 2]],
  ['limit 0', (query) => query.limit(0), []],
  ['skip', (query) => query.skip(3), [4]],
  ['skip behind the end', (query) => query.skip(9), []],
  ['sort, skip and limit', (query) => query.sort('price', 'desc').skip(1).limit(2), [1, 2]],
]

describe.each(stores)('IQuery, on $name', ({ make }) => {
  let api: Client
  let ask: () => IQuery
  let hook: QueryCallback
  let captured: IQuery | undefined

  beforeAll(async () => {
    const { router } = service(await make(), [Author, Genre])
    router.prepare(Book).use({
      query: {
        getList: (query) => {
          captured = hook(query)
          return captured
        },
      },
    })
    await router.load(Author, [
      { id: 'a-1', name: 'Frank' },
      { id: 'a-2', name: 'Jane' },
    ])
    await router.load(Genre, [
      { id: 'g-1', name: 'x' },
      { id: 'g-2', name: 'y' },
    ])
    await router.load(Book, books)
    api = client(router)
    ask = () => router.query(Book)
  })

  const ids = (numbers: readonly number[]) => numbers.map((number) => `b-${number}`)
  const executed = async (query: IQuery) => {
    const ids: string[] = []
    for await (const item of query.exec()) ids.push((item as { id: string }).id)
    return ids
  }

  it.each(surface)('%s, in a query hook and in a script', async (_, narrow, numbers) => {
    hook = narrow
    const response = await api.get('/books')
    expect([response.status, response.ids('books')]).toEqual([200, ids(numbers)])
    expect(await executed(narrow(ask()))).toEqual(ids(numbers))
  })

  it('is immutable: each call returns a new query', async () => {
    const query = ask()
    query.where('title').equal('Dune')
    query.or()
    query.limit(0)
    query.sort('price', 'desc')
    expect(await executed(query)).toEqual(ids([1, 2, 3, 4]))
    const narrowed = query.where('author').equal('a-1')
    narrowed.where('price').equal(10)
    expect(await executed(narrowed)).toEqual(ids([1, 3]))
  })

  it('size() counts the items that satisfy the conditions, whatever the limit', async () => {
    expect(await ask().size()).toBe(4)
    expect(await ask().where('author').equal('a-1').limit(1).skip(1).size()).toBe(2)
    expect(await ask().or().size()).toBe(0)
  })

  it('size() and exec() work for the query of a hook too', async () => {
    hook = (query) => query.where('author').equal('a-1')
    await api.get('/books?filter[price][gt]=15')
    expect(await captured?.size()).toBe(1)
    expect(captured && (await executed(captured))).toEqual(['b-3'])
  })

  it('exec() yields items one by one, and can be stopped early', async () => {
    const ids: unknown[] = []
    for await (const item of ask().sort('price', 'desc').exec()) {
      ids.push(item)
      if (ids.length === 2) break
    }
    expect(ids).toMatchObject([{ id: 'b-3', author: 'a-1' }, { id: 'b-1' }])
  })

  it('treats user text as a value only', async () => {
    for (const text of ["' or 1=1 --", '%', '_', '"', '\\', "Dune' --"]) {
      expect(await ask().where('title').equal(text).size(), text).toBe(0)
      expect(await ask().where('title').contains(text).size(), text).toBe(0)
    }
  })

  it('refuses limits and skips that are not integers from 0 on', () => {
    for (const count of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => ask().limit(count), `${count}`).toThrow(RangeError)
      expect(() => ask().skip(count), `${count}`).toThrow(RangeError)
    }
  })

  it('refuses unknown fields', async () => {
    await expect((async () => executed(ask().where('nothing').equal(1)))()).rejects.toThrow()
    await expect((async () => executed(ask().sort('nothing')))()).rejects.toThrow()
    await expect((async () => ask().where('author.nothing').equal(1).size())()).rejects.toThrow()
  })
})

describe('printQueryPlan(plan)', () => {
  it('prints the tree of a query', () => {
    const { router } = service({} as never, [Author, Genre, Book])
    const query = router
      .query(Book)
      .where('price')
      .greaterThanOrEqual(10)
      .or(
        (part) => part.where('author.name').contains('Shelley'),
        (part) => part.not((inner) => inner.where('inStock').equal(false)),
      )
      .sort('price', 'desc')
      .skip(20)
      .limit(10)
    const text = printQueryPlan(query.plan)
    for (const words of [
      'price greaterThanOrEqual 10',
      'author.name contains "Shelley"',
      'inStock equal false',
      'sort price desc',
      'offset 20',
      'limit 10',
    ])
      expect(text).toContain(words)
    expect(text.split('\n').length).toBeGreaterThan(6)
  })
})

describe('A comparison with something that is not a value', () => {
  const { router } = service({} as never, [Author, Genre, Book])
  const nothing = undefined as never
  it.each<[string, (query: IQuery) => unknown]>([
    ['equal', (query) => query.where('title').equal(nothing)],
    ['notEqual', (query) => query.where('title').notEqual(nothing)],
    ['noneOf', (query) => query.where('title').noneOf([nothing])],
    ['anyOf', (query) => query.where('title').anyOf('x' as never)],
    ['equal', (query) => query.not((part) => part.where('title').equal(nothing))],
    ['equal', (query) => query.where('author').equal({ id: 'x' } as never)],
    ['contains', (query) => query.where('title').contains(nothing)],
    ['containsAny', (query) => query.where('genres').containsAny(nothing)],
  ])('is a TypeError, not a guard that matches everything: %s', (operator, call) => {
    expect(() => call(router.query(Book))).toThrow(TypeError)
    expect(() => call(router.query(Book))).toThrow(new RegExp(`^${operator}\\(\\) of the field`))
  })
})
