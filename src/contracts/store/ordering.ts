import { expect } from 'vitest'
import {
  always,
  type Condition,
  type FieldPath,
  type PageRange,
  type Position,
  type Scalar,
  type SortKey,
  type Store,
  toFieldPath,
} from '../../store/public.ts'
import { idsOf, planOf, type Suite, type World } from './harness.ts'
import { author, book, publisher } from './models.ts'

function by(...keys: string[]): SortKey[] {
  return keys.map((key) => ({
    path: toFieldPath(key.replace('-', '')),
    direction: key.startsWith('-') ? 'desc' : 'asc',
  }))
}

const world: World = [
  [
    publisher,
    [
      { id: 'p-1', name: 'Z' },
      { id: 'p-2', name: 'A' },
    ],
  ],
  [
    author,
    [
      { id: 'a-1', name: 'Bob', alive: true, publisher: 'p-1' },
      { id: 'a-2', name: 'Ann', alive: false, publisher: 'p-2' },
      { id: 'a-3', name: null, alive: true },
    ],
  ],
  [
    book,
    [
      {
        id: 'b',
        title: '\uFFFD',
        price: 2,
        pages: 10,
        inStock: true,
        author: 'a-1',
        dimensions: { width: 3 },
      },
      {
        id: 'B',
        title: '😀',
        price: 2,
        pages: 9,
        inStock: false,
        author: 'a-2',
        dimensions: { width: 3 },
      },
      {
        id: '\uFFFD',
        title: 'a',
        price: 1.5,
        pages: 100,
        author: 'a-2',
        dimensions: { width: 1, cover: { material: 'x' } },
      },
      {
        id: '😀',
        title: 'B',
        price: 10,
        pages: 9,
        inStock: false,
        author: 'a-1',
        dimensions: null,
      },
      { id: 'c', title: 'b', price: null, inStock: true, author: 'a-3' },
      { id: 'd', title: null, price: -1, pages: 10, author: null },
      { id: 'e', price: 2, pages: null, inStock: null, author: 'a-missing' },
      {
        id: 'f',
        title: 'B',
        price: 2,
        pages: 9,
        inStock: true,
        author: 'a-1',
        dimensions: { cover: { material: 'x' } },
      },
    ],
  ],
]

const all = ['B', 'b', 'c', 'd', 'e', 'f', '\uFFFD', '😀']

const orders: readonly (readonly [string, SortKey[], readonly string[]])[] = [
  ['nothing but the id, by code point', [], all],
  ['the id backwards', by('-id'), all.toReversed()],
  ['the id, forwards', by('id'), all],
  ['text by code point, null first', by('title'), ['d', 'e', 'f', '😀', '\uFFFD', 'c', 'b', 'B']],
  [
    'text backwards, null last, ties by id backwards',
    by('-title'),
    ['B', 'b', 'c', '\uFFFD', '😀', 'f', 'e', 'd'],
  ],
  [
    'two keys, ties by id in the direction of the last',
    by('price', '-pages'),
    ['c', 'd', '\uFFFD', 'b', 'f', 'B', 'e', '😀'],
  ],
  [
    'a key backwards, ties by an explicit id forwards',
    by('-price', 'id'),
    ['😀', 'B', 'b', 'e', 'f', '\uFFFD', 'd', 'c'],
  ],
  ['numbers by size', by('price'), ['c', 'd', '\uFFFD', 'B', 'b', 'e', 'f', '😀']],
  ['integers by size', by('pages'), ['c', 'e', 'B', 'f', '😀', 'b', 'd', '\uFFFD']],
  ['booleans, false first', by('inStock'), ['d', 'e', '\uFFFD', 'B', '😀', 'b', 'c', 'f']],
  ['mixed directions', by('-inStock', 'price'), ['c', 'b', 'f', 'B', '😀', 'd', '\uFFFD', 'e']],
  ['three keys', by('inStock', '-price', 'title'), ['e', '\uFFFD', 'd', '😀', 'B', 'f', 'b', 'c']],
  [
    'a value in a struct',
    by('-dimensions.width', '-id'),
    ['b', 'B', '\uFFFD', '😀', 'f', 'e', 'd', 'c'],
  ],
  [
    'a value deep in a struct',
    by('dimensions.cover.material', '-id'),
    ['😀', 'e', 'd', 'c', 'b', 'B', '\uFFFD', 'f'],
  ],
  ['a related value', by('author.name'), ['c', 'd', 'e', 'B', '\uFFFD', 'b', 'f', '😀']],
  [
    'a value two relations away',
    by('-author.publisher.name', 'price'),
    ['b', 'f', '😀', '\uFFFD', 'B', 'c', 'd', 'e'],
  ],
  ['an identifier', by('-author'), ['e', 'c', '\uFFFD', 'B', '😀', 'f', 'b', 'd']],
  ['the same key twice', by('price', '-price'), ['c', 'd', '\uFFFD', 'f', 'e', 'b', 'B', '😀']],
  [
    'a value behind a guard',
    [
      {
        path: {
          names: ['author', 'name'],
          guards: [
            {
              depth: 1,
              condition: {
                kind: 'compare',
                path: toFieldPath('alive'),
                operator: 'equal',
                value: true,
              },
            },
          ],
        },
        direction: 'desc',
      },
    ],
    ['😀', 'f', 'b', '\uFFFD', 'e', 'd', 'c', 'B'],
  ],
  [
    'an indexed value behind a guard on the item',
    [{ path: onlyWhere('price', 'inStock', true), direction: 'asc' }],
    ['B', 'c', 'd', 'e', '\uFFFD', '😀', 'b', 'f'],
  ],
  [
    'an indexed value backwards, behind a guard that reaches through a relation',
    [{ path: onlyWhere('pages', 'author.name', 'Bob'), direction: 'desc' }],
    ['b', '😀', 'f', '\uFFFD', 'e', 'd', 'c', 'B'],
  ],
  [
    'an identifier and the id behind guards on the item',
    [
      { path: onlyWhere('author', 'inStock', true), direction: 'desc' },
      { path: onlyWhere('id', 'pages', 9), direction: 'asc' },
    ],
    ['c', 'b', 'f', 'd', 'e', '\uFFFD', 'B', '😀'],
  ],
]

/** The path with a guard on the item: it has the value only where the other path has this one. */
function onlyWhere(name: string, other: string, value: Scalar): FieldPath {
  return {
    names: [name],
    guards: [
      {
        depth: 0,
        condition: { kind: 'compare', path: toFieldPath(other), operator: 'equal', value },
      },
    ],
  }
}

async function pageOf(
  store: Store,
  sort: SortKey[],
  pageRange: PageRange,
  condition: Condition = always,
) {
  const plan = planOf(condition, sort, pageRange)
  const { entries } = await store.page(book, plan)
  expect(await idsOf(store, book, plan)).toEqual(entries.map(({ id }) => id))
  return entries.map(({ id, position }) => ({ id, position }))
}

export function ordering(suite: Suite): void {
  suite.reading('ordering', world, (test) => {
    for (const [title, sort, expected] of orders) {
      const whole = { kind: 'offset', offset: 0, limit: 100 } as const

      test(`sorts by ${title}`, async (store) => {
        expect(await idsOf(store, book, planOf(always, sort))).toEqual(expected)
        expect((await pageOf(store, sort, whole)).map((entry) => entry.id)).toEqual(expected)
      })

      test(`reads pages of a list by ${title}`, async (store) => {
        for (let skip = 0; skip <= expected.length + 1; skip++) {
          for (const limit of [0, 1, 3, 100]) {
            const page = await pageOf(store, sort, { kind: 'offset', offset: skip, limit })
            expect(page.map((placed) => placed.id)).toEqual(expected.slice(skip, skip + limit))
          }
          const rest = planOf(always, sort, {
            kind: 'offset',
            offset: skip,
            limit: Number.POSITIVE_INFINITY,
          })
          expect(await idsOf(store, book, rest)).toEqual(expected.slice(skip))
        }
      })

      test(`reads a list by ${title} from either end`, async (store) => {
        const positions = (await pageOf(store, sort, whole)).map((entry) => entry.position)
        for (let limit = 1; limit <= expected.length + 1; limit++) {
          const forwards: string[] = []
          for (let page = await pageOf(store, sort, { ...whole, limit }); page.length > 0; ) {
            forwards.push(...page.map((entry) => entry.id))
            page = await pageOf(store, sort, {
              kind: 'after',
              position: page.at(-1)!.position,
              limit,
            })
          }
          expect(forwards).toEqual(expected)
          const backwards: string[] = []
          let page = await pageOf(store, sort, {
            kind: 'before',
            position: positions.at(-1)!,
            limit,
          })
          for (
            ;
            page.length > 0;
            page = await pageOf(store, sort, { kind: 'before', position: page[0]!.position, limit })
          ) {
            backwards.unshift(...page.map((entry) => entry.id))
          }
          expect(backwards).toEqual(expected.slice(0, -1))
        }
      })

      test(`reads between two positions of a list by ${title}`, async (store) => {
        const positions = (await pageOf(store, sort, whole)).map((entry) => entry.position)
        for (const [from, after] of positions.entries()) {
          for (const [to, before] of positions.entries()) {
            for (const limit of [2, 100]) {
              const page = await pageOf(store, sort, { kind: 'between', after, before, limit })
              expect(page.map((entry) => entry.id)).toEqual(
                expected.slice(from + 1, Math.max(from + 1, to)).slice(0, limit),
              )
            }
          }
        }
      })
    }

    test('returns the values of the sort keys and the id as the position', async (store) => {
      const [first] = await pageOf(store, by('-inStock', 'author.name', 'price'), {
        kind: 'offset',
        offset: 0,
        limit: 1,
      })
      expect(first).toEqual({ id: 'c', position: [true, null, null, 'c'] })
      const [plain] = await pageOf(store, [], { kind: 'offset', offset: 7, limit: 1 })
      expect(plain).toEqual({ id: '😀', position: ['😀'] })
      const [missing] = await pageOf(store, by('-author', 'author.name', 'inStock'), {
        kind: 'offset',
        offset: 0,
        limit: 1,
      })
      expect(missing).toEqual({ id: 'e', position: ['a-missing', null, null, 'e'] })
    })

    test('continues from a position without an item', async (store) => {
      const from = (sort: SortKey[], position: Position) =>
        pageOf(store, sort, { kind: 'after', position, limit: 2 })
      const ids = async (page: ReturnType<typeof from>) => (await page).map((entry) => entry.id)
      expect(await ids(from(by('price'), [1.9, 'zzz']))).toEqual(['B', 'b'])
      expect(await ids(from(by('price'), [2, 'bb']))).toEqual(['e', 'f'])
      expect(await ids(from(by('price'), [null, 'zzz']))).toEqual(['d', '\uFFFD'])
      expect(await ids(from(by('-price'), [null, 'd']))).toEqual(['c'])
      expect(await ids(from(by('-price'), [2, 'bb']))).toEqual(['b', 'B'])
      expect(await ids(from(by('-price'), [1e9, 'a']))).toEqual(['😀', 'f'])
      expect(await ids(from([], ['bb']))).toEqual(['c', 'd'])
    })

    test('counts and pages only items that satisfy the condition', async (store) => {
      const two: Condition = {
        kind: 'compare',
        path: toFieldPath('price'),
        operator: 'equal',
        value: 2,
      }
      const page = await pageOf(store, by('-title'), { kind: 'offset', offset: 1, limit: 2 }, two)
      expect(page.map((placed) => placed.id)).toEqual(['b', 'f'])
      const next = await pageOf(
        store,
        by('-title'),
        { kind: 'after', position: page[1]!.position, limit: 5 },
        two,
      )
      expect(next.map((entry) => entry.id)).toEqual(['e'])
      expect(await store.count(book, two)).toBe(4)
    })

    test('refuses to sort by a field without an order, and names it', async (store) => {
      for (const name of [
        'nothing',
        'tags',
        'dimensions',
        'extra',
        'genres',
        'genres.title',
        'author.books',
      ]) {
        const plan = planOf(always, by(name), { kind: 'offset', offset: 0, limit: 1 })
        await expect(store.page(book, plan), name).rejects.toThrow(TypeError)
        await expect(idsOf(store, book, plan), name).rejects.toThrow(TypeError)
      }
    })
  })
}
