import { expect } from 'vitest'
import { toFieldPath } from '../../query/conditions.ts'
import type { Condition, FieldPath, Guard, Scalar } from '../../query/query-plan.ts'
import { matching, type Suite, type World } from './harness.ts'
import { author, book, genre, publisher } from './models.ts'

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

function is(path: FieldPath, value: Scalar): Condition {
  return { kind: 'compare', path, operator: 'equal', value }
}

function holding(path: FieldPath, quantity: 'any' | 'all', ...values: Scalar[]): Condition {
  return { kind: 'members', path, quantity, values }
}

function guarded(dotted: string, ...guards: Guard[]): FieldPath {
  return { ...toFieldPath(dotted), guards }
}

const alive: Guard = { depth: 1, condition: is(toFieldPath('alive'), true) }
const austrian: Guard = { depth: 2, condition: is(toFieldPath('country'), 'AT') }

/** Each line: the condition, the books, and the books that match. */
const byPath: readonly (readonly [string, Condition, readonly string[]])[] = [
  ['an identifier', is(toFieldPath('author'), 'a-1'), ['b-1']],
  ['no identifier', is(toFieldPath('author'), null), ['b-4', 'b-6']],
  ['the identifier of a missing item', is(toFieldPath('author'), 'a-missing'), ['b-5']],
  ['the id of a related item', is(toFieldPath('author.id'), 'a-2'), ['b-2']],
  [
    'the id of a missing item, which is null',
    is(toFieldPath('author.id'), null),
    ['b-4', 'b-5', 'b-6'],
  ],
  ['a related value', is(toFieldPath('author.name'), 'Ann'), ['b-1']],
  ['a related value that is null', is(toFieldPath('author.name'), null), ['b-4', 'b-5', 'b-6']],
  ['a value two relations away', is(toFieldPath('author.publisher.country'), 'UK'), ['b-2']],
  ['an identifier one relation away', is(toFieldPath('author.publisher'), 'p-at'), ['b-1']],
  ['an id two relations away', is(toFieldPath('author.publisher.id'), 'p-at'), ['b-1']],
  [
    'no value two relations away',
    is(toFieldPath('author.publisher.name'), null),
    ['b-3', 'b-4', 'b-5', 'b-6'],
  ],
  ['an identifier behind a guard', is(guarded('author', alive), 'a-1'), ['b-1']],
  ['an identifier hidden by a guard', is(guarded('author', alive), 'a-2'), []],
  ['a missing item behind a guard', is(guarded('author', alive), 'a-missing'), []],
  ['what a guard makes null', is(guarded('author', alive), null), ['b-2', 'b-4', 'b-5', 'b-6']],
  ['an id behind a guard', is(guarded('author.id', alive), 'a-3'), ['b-3']],
  ['an id hidden by a guard', is(guarded('author.id', alive), null), ['b-2', 'b-4', 'b-5', 'b-6']],
  ['a value behind a guard', is(guarded('author.name', alive), 'Ann'), ['b-1']],
  ['a value hidden by a guard', is(guarded('author.name', alive), 'Bob'), []],
  [
    'a value behind a guard that never holds',
    is(guarded('author.name', { depth: 1, condition: { kind: 'never' } }), 'Ann'),
    [],
  ],
  [
    'a value behind two guards',
    is(guarded('author.publisher.name', alive, austrian), 'Styria'),
    ['b-1'],
  ],
  [
    'a value hidden by the second guard',
    is(guarded('author.publisher.name', austrian), 'Lackington'),
    [],
  ],
  [
    'a value hidden by the first guard',
    is(guarded('author.publisher.name', alive), 'Lackington'),
    [],
  ],
  [
    'an identifier hidden by a guard on its depth',
    is(guarded('author.publisher', austrian), 'p-uk'),
    [],
  ],
  [
    'an identifier shown by a guard on its depth',
    is(guarded('author.publisher', austrian), 'p-at'),
    ['b-1'],
  ],
  [
    'two guards on one depth',
    is(guarded('author', alive, { depth: 1, condition: is(toFieldPath('name'), 'Cem') }), 'a-3'),
    ['b-3'],
  ],
  [
    'a guard that reaches through a relation',
    is(
      guarded('author', { depth: 1, condition: is(toFieldPath('publisher.country'), 'UK') }),
      'a-2',
    ),
    ['b-2'],
  ],
  [
    'a guard with a guard of its own',
    is(
      guarded('author.name', {
        depth: 1,
        condition: is(
          guarded('publisher', { depth: 1, condition: is(toFieldPath('country'), 'UK') }),
          null,
        ),
      }),
      'Ann',
    ),
    ['b-1'],
  ],
  ['any of an array', holding(toFieldPath('tags'), 'any', 'de', 'other'), ['b-1']],
  ['all of an array', holding(toFieldPath('tags'), 'all', 'de', 'new'), ['b-1']],
  ['any of odd texts', holding(toFieldPath('tags'), 'any', "it's"), ['b-5']],
  ['text beyond the BMP', holding(toFieldPath('tags'), 'any', '😀'), ['b-5']],
  ['empty text', holding(toFieldPath('tags'), 'any', ''), ['b-5']],
  ['null among members', holding(toFieldPath('tags'), 'any', null), ['b-5']],
  ['members by case', holding(toFieldPath('tags'), 'any', 'NEW'), []],
  ['any of none', holding(toFieldPath('tags'), 'any'), []],
  ['all of none', holding(toFieldPath('tags'), 'all'), ['b-1', 'b-2', 'b-3', 'b-4', 'b-5', 'b-6']],
  ['numbers', holding(toFieldPath('scores'), 'any', 2.5, 0), ['b-1', 'b-3']],
  ['all of the same number twice', holding(toFieldPath('scores'), 'all', 1, 1), ['b-1', 'b-5']],
  ['numbers as text', holding(toFieldPath('scores'), 'any', '1', true), []],
  ['booleans', holding(toFieldPath('flags'), 'all', true, false), ['b-2']],
  ['booleans as numbers', holding(toFieldPath('flags'), 'any', 1, 0, 'true'), []],
  [
    'an array in a struct',
    holding(toFieldPath('dimensions.cover.labels'), 'all', 'a', 'b'),
    ['b-6'],
  ],
  [
    'an array behind a relation',
    holding(toFieldPath('author.languages'), 'any', 'en'),
    ['b-1', 'b-2'],
  ],
  ['an array hidden by a guard', holding(guarded('author.languages', alive), 'any', 'en'), ['b-1']],
  ['any of a relation', holding(toFieldPath('genres'), 'any', 'g-1', 'g-3'), ['b-1', 'b-2', 'b-5']],
  ['all of a relation', holding(toFieldPath('genres'), 'all', 'g-1', 'g-2'), ['b-1', 'b-5']],
  [
    'all of no identifiers',
    holding(toFieldPath('genres'), 'all'),
    ['b-1', 'b-2', 'b-3', 'b-4', 'b-5', 'b-6'],
  ],
  ['a missing member', holding(toFieldPath('genres'), 'any', 'g-missing'), ['b-4']],
  ['identifiers that are none', holding(toFieldPath('genres'), 'any', null, 1, true), []],
  [
    'guarded members',
    holding(
      guarded('genres', { depth: 1, condition: is(toFieldPath('parent'), 'g-1') }),
      'any',
      'g-1',
      'g-2',
    ),
    ['b-1', 'b-4', 'b-5'],
  ],
  [
    'all of guarded members',
    holding(
      guarded('genres', { depth: 1, condition: is(toFieldPath('parent'), 'g-1') }),
      'all',
      'g-1',
      'g-2',
    ),
    [],
  ],
  [
    'a missing member behind a guard',
    holding(
      guarded('genres', { depth: 1, condition: is(toFieldPath('parent'), null) }),
      'any',
      'g-missing',
    ),
    [],
  ],
  [
    'a guarded relation and no values',
    holding(guarded('genres', { depth: 1, condition: { kind: 'never' } }), 'all'),
    ['b-1', 'b-2', 'b-3', 'b-4', 'b-5', 'b-6'],
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
