import { expect } from 'vitest'
import { type Condition, toFieldPath } from '../../store/public.ts'
import { matching, type Suite, type World } from './harness.ts'
import { author, book, genre, publisher } from './models.ts'
import { alive, byPath, guarded, holding, is } from './relation-conditions.ts'

const world: World = [
  [
    publisher,
    [
      { id: 'p-at', name: 'Styria', country: 'AT' },
      { id: 'p-uk', name: 'Lackington', country: 'UK' },
    ],
  ],
  [
    author,
    [
      { id: 'a-1', name: 'Ann', alive: true, languages: ['de', 'en'], publisher: 'p-at' },
      { id: 'a-2', name: 'Bob', alive: false, languages: ['en'], publisher: 'p-uk' },
      { id: 'a-3', name: 'Cem', alive: true, publisher: null },
    ],
  ],
  [
    genre,
    [
      { id: 'g-1', title: 'fiction', parent: null },
      { id: 'g-2', title: 'horror', parent: 'g-1' },
      { id: 'g-3', title: 'gothic', parent: 'g-2' },
      { id: 'g-4', title: 'comedy', parent: 'g-1' },
    ],
  ],
  [
    book,
    [
      {
        id: 'b-1',
        author: 'a-1',
        genres: ['g-1', 'g-2'],
        tags: ['new', 'de'],
        scores: [1, 2.5],
        flags: [true],
        price: 5,
      },
      {
        id: 'b-2',
        author: 'a-2',
        genres: ['g-3'],
        tags: ['new'],
        scores: [],
        flags: [true, false],
        price: 15,
      },
      { id: 'b-3', author: 'a-3', genres: [], tags: [], scores: [0], flags: [], price: 25 },
      { id: 'b-4', author: null, genres: ['g-2', 'g-missing'], tags: null, scores: null },
      {
        id: 'b-5',
        author: 'a-missing',
        genres: ['g-1', 'g-2', 'g-3'],
        tags: [null, '', "it's", '😀'],
        scores: [1, 1],
      },
      { id: 'b-6', dimensions: { cover: { labels: ['a', 'b'] } } },
    ],
  ],
]

export function relations(suite: Suite): void {
  suite.reading('relations and members', world, (test) => {
    for (const [title, condition, expected] of byPath) {
      test(`finds by ${title}`, async (store) => {
        expect(await matching(store, book, condition)).toEqual(expected)
        const others = ['b-1', 'b-2', 'b-3', 'b-4', 'b-5', 'b-6'].filter(
          (id) => !expected.includes(id),
        )
        expect(await matching(store, book, { kind: 'not', condition })).toEqual(others)
      })
    }

    test('finds by the inverse side of a relation', async (store) => {
      const books = toFieldPath('books')
      expect(await matching(store, author, holding(books, 'any', 'b-1', 'b-2'))).toEqual([
        'a-1',
        'a-2',
      ])
      expect(await matching(store, author, holding(books, 'all', 'b-1'))).toEqual(['a-1'])
      expect(await matching(store, author, holding(books, 'all', 'b-1', 'b-2'))).toEqual([])
      expect(await matching(store, author, holding(books, 'all'))).toEqual(['a-1', 'a-2', 'a-3'])
      expect(await matching(store, author, holding(books, 'any'))).toEqual([])
      expect(await matching(store, author, holding(books, 'any', null))).toEqual([])
      expect(
        await matching(store, publisher, holding(toFieldPath('authors'), 'any', 'a-2')),
      ).toEqual(['p-uk'])
    })

    test('finds by the inverse side of a to-many relation', async (store) => {
      const books = toFieldPath('books')
      expect(await matching(store, genre, holding(books, 'any', 'b-2'))).toEqual(['g-3'])
      expect(await matching(store, genre, holding(books, 'all', 'b-1', 'b-5'))).toEqual([
        'g-1',
        'g-2',
      ])
    })

    test('finds by both sides of a relation of a model to itself', async (store) => {
      expect(await matching(store, genre, is(toFieldPath('parent.parent'), 'g-1'))).toEqual(['g-3'])
      expect(
        await matching(store, genre, is(toFieldPath('parent.parent.title'), 'fiction')),
      ).toEqual(['g-3'])
      expect(await matching(store, genre, is(toFieldPath('parent.title'), null))).toEqual(['g-1'])
      expect(
        await matching(store, genre, holding(toFieldPath('children'), 'all', 'g-2', 'g-4')),
      ).toEqual(['g-1'])
      expect(
        await matching(store, genre, holding(toFieldPath('parent.children'), 'any', 'g-4')),
      ).toEqual(['g-2', 'g-4'])
    })

    test('finds by guarded members of the inverse side', async (store) => {
      const cheap = guarded('books', { depth: 1, condition: is(toFieldPath('price'), 5) })
      expect(await matching(store, author, holding(cheap, 'any', 'b-1', 'b-2'))).toEqual(['a-1'])
      const byName = guarded('books', {
        depth: 1,
        condition: is(toFieldPath('author.name'), 'Bob'),
      })
      expect(await matching(store, author, holding(byName, 'any', 'b-1', 'b-2'))).toEqual(['a-2'])
      const gothic = guarded('books', {
        depth: 1,
        condition: holding(toFieldPath('genres'), 'any', 'g-3'),
      })
      expect(await matching(store, genre, holding(gothic, 'any', 'b-1', 'b-5'))).toEqual([
        'g-1',
        'g-2',
        'g-3',
      ])
    })

    test('finds by the inverse side of a related item', async (store) => {
      expect(
        await matching(store, book, holding(toFieldPath('author.books'), 'any', 'b-2')),
      ).toEqual(['b-2'])
      const ofTheLiving = guarded('books', { ...alive, depth: 0 })
      expect(await matching(store, author, holding(ofTheLiving, 'any', 'b-1', 'b-2'))).toEqual([
        'a-1',
      ])
      expect(await matching(store, author, holding(ofTheLiving, 'all', 'b-2'))).toEqual([])
      const behind = guarded('author.books', alive, {
        depth: 2,
        condition: is(toFieldPath('price'), 25),
      })
      expect(await matching(store, book, holding(behind, 'any', 'b-1', 'b-2', 'b-3'))).toEqual([
        'b-3',
      ])
      expect(await matching(store, book, holding(behind, 'all'))).toHaveLength(6)
    })

    test('joins conditions with and, or and not', async (store) => {
      const cheap: Condition = {
        kind: 'compare',
        path: toFieldPath('price'),
        operator: 'lessThan',
        value: 20,
      }
      const fresh = holding(toFieldPath('tags'), 'any', 'new')
      const ann = is(toFieldPath('author.name'), 'Ann')
      const of = (condition: Condition) => matching(store, book, condition)
      expect(await of({ kind: 'always' })).toHaveLength(6)
      expect(await of({ kind: 'never' })).toEqual([])
      expect(await of({ kind: 'and', conditions: [] })).toHaveLength(6)
      expect(await of({ kind: 'or', conditions: [] })).toEqual([])
      expect(await of({ kind: 'and', conditions: [cheap, fresh] })).toEqual(['b-1', 'b-2'])
      expect(
        await of({ kind: 'and', conditions: [cheap, { kind: 'not', condition: fresh }] }),
      ).toEqual(['b-4', 'b-5', 'b-6'])
      expect(
        await of({ kind: 'or', conditions: [ann, { kind: 'not', condition: cheap }] }),
      ).toEqual(['b-1', 'b-3'])
      expect(
        await of({
          kind: 'not',
          condition: { kind: 'or', conditions: [ann, { kind: 'not', condition: cheap }] },
        }),
      ).toEqual(['b-2', 'b-4', 'b-5', 'b-6'])
      expect(
        await of({
          kind: 'and',
          conditions: [
            { kind: 'or', conditions: [ann, fresh] },
            { kind: 'or', conditions: [ann, { kind: 'never' }] },
          ],
        }),
      ).toEqual(['b-1'])
      expect(await of({ kind: 'not', condition: { kind: 'always' } })).toEqual([])
    })

    test('joins many conditions, and nests them deep', async (store) => {
      const one: Condition = is(toFieldPath('id'), 'b-1')
      const none: Condition[] = Array.from({ length: 300 }, (_, index) =>
        is(toFieldPath('title'), `none-${index}`),
      )
      expect(await matching(store, book, { kind: 'or', conditions: [...none, one] })).toEqual([
        'b-1',
      ])
      const nested = Array.from({ length: 60 }).reduce<Condition>(
        (condition) => ({ kind: 'not', condition }),
        one,
      )
      expect(await matching(store, book, nested)).toEqual(['b-1'])
    })

    test('refuses an unknown path, and names it', async (store) => {
      const wrong: readonly Condition[] = [
        is(toFieldPath('nothing'), 1),
        is(toFieldPath('bookTitle'), 1),
        is(toFieldPath('author.nothing'), 1),
        is(toFieldPath('genres.title'), 1),
        is(toFieldPath('genres'), 'g-1'),
        is(toFieldPath('tags'), 'new'),
        is(toFieldPath('dimensions'), null),
        is(toFieldPath('dimensions.nothing'), null),
        is(toFieldPath('dimensions.width.nothing'), null),
        is(toFieldPath('extra'), 1),
        is(toFieldPath('hash'), 'x'),
        is(toFieldPath('id.nothing'), 'x'),
        is({ names: [] }, 'x'),
        holding(toFieldPath('title'), 'any', 'x'),
        holding(toFieldPath('author'), 'any', 'a-1'),
        holding(toFieldPath('extra'), 'any', 'a-1'),
        { kind: 'oneOf', path: toFieldPath('tags'), values: [] },
        { kind: 'text', path: toFieldPath('tags'), operator: 'contains', value: 'x' },
        is(guarded('title', alive), 'x'),
        is(guarded('author.name', { ...alive, depth: 2 }), 'x'),
        is(guarded('author.name', { depth: 1, condition: is(toFieldPath('nothing'), 1) }), 'x'),
        is(guarded('title', { depth: 0, condition: is(toFieldPath('nothing'), 1) }), 'x'),
        is(guarded('title', { ...alive, depth: -1 }), 'x'),
        is(guarded('author.name', { ...alive, depth: 0.5 }), 'x'),
      ]
      for (const condition of wrong) {
        const what = JSON.stringify(condition)
        for (const entry of [
          condition,
          { kind: 'and', conditions: [{ kind: 'never' }, condition] } as const,
        ]) {
          await expect(matching(store, book, entry), what).rejects.toThrow(TypeError)
          await expect(store.count(book, entry), what).rejects.toThrow(TypeError)
          await expect(store.find(book, entry), what).rejects.toThrow(TypeError)
        }
      }
    })
  })
}
