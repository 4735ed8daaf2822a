import { expect } from 'vitest'
import { type Condition, type SearchTerm, toFieldPath, wordsOf } from '../../store/public.ts'
import { matching, planOf, type Suite, type World } from './harness.ts'
import { author, book } from './models.ts'
import { expectedPage, isTrue } from './oracle.ts'

const texts = [
  '',
  ' ',
  '!?',
  'The Old Man and the Sea',
  'old-man; SEA',
  'Old  man',
  'older man',
  'the man, old',
  "O'Brien",
  'obrien',
  '100% a_b',
  'a\\b "quoted"',
  "'; DROP TABLE book; --",
  'Straße und STRASSE',
  'İstanbul ısı',
  'ﬁx office',
  'Z\u0301o\u0308é zoe',
  'ŻÓŁĆ żołć',
  'ΟΔΟΣ οδός',
  '東京タワー',
  '東京 タワー',
  'हिन्दी में',
  '각 ᄀ',
  'x😀y',
  '𝒜𝓫𝒸 𐐷',
  'x\u200by \u00a0z',
  '\uFFFD',
  'm²½ ①',
  'ab abc abcd',
  `${'lorem '.repeat(2_000)}ipsum`,
]

const searched = [
  'old man',
  'sea',
  'man old',
  'o brien',
  'obrien',
  '100',
  'a b',
  'strasse',
  'istanbul',
  'fix',
  'zoe',
  'zołc',
  'οδοσ',
  '東京',
  'タワー',
  'हिन्दी',
  '각',
  'x',
  'x y',
  'abc',
  '𐐷',
  '1',
  'm2',
  'drop table',
  'ipsum',
  'lorem ipsum',
  'e',
]

const world: World = [
  [author, [...texts.map((name, index) => ({ id: `a-${index}`, name })), { id: 'a-null' }]],
  [
    book,
    [
      ...texts.map((title, index) => ({
        id: `b-${index}`,
        title,
        notes: texts[(index * 7 + 3) % texts.length],
        dimensions: { cover: { material: texts[(index * 11 + 5) % texts.length] } },
        author: `a-${(index * 3 + 1) % texts.length}`,
        price: index,
      })),
      { id: 'n-absent' },
      { id: 'n-null', title: null, notes: null, dimensions: null, author: 'a-null' },
      { id: 'n-missing', author: 'a-missing' },
    ],
  ],
]

const oneField = [['title'], ['dimensions.cover.material'], ['author.name'], ['price']]
const severalFields = [
  ['title', 'notes'],
  ['title', 'author.name', 'dimensions.cover.material'],
  ['notes', 'author.name', 'title', 'dimensions.cover.material'],
]

function searchFor(paths: readonly string[], ...terms: readonly SearchTerm[]): Condition {
  const fields = paths.map((path) => ({ path: toFieldPath(path), weight: 1 }))
  return { kind: 'search', fields, terms }
}

function termOf(text: string, ending: SearchTerm['ending'], isExcluded = false): SearchTerm {
  return { words: wordsOf(text).trim(), ending, isExcluded }
}

function expectedIds(condition: Condition): readonly string[] {
  const [, [, books]] = world as readonly [World[number], World[number]]
  return books
    .filter((item) => isTrue(world, book, item, condition))
    .map(({ id }) => id)
    .sort()
}

/** Searches for words, which other searches for text do not know. */
export function searchingWords(suite: Suite): void {
  suite.reading('searching', world, (test) => {
    for (const paths of [...oneField, ...severalFields]) {
      test(`searches ${paths.join(', ')} for words and beginnings of words`, async (store) => {
        for (const text of searched) {
          for (const ending of ['word', 'beginning'] as const) {
            const condition = searchFor(paths, termOf(text, ending))
            const ids = await matching(store, book, condition)
            expect(ids, `${text} ${ending}`).toEqual(expectedIds(condition))
          }
        }
      })
    }

    for (const direction of ['asc', 'desc'] as const) {
      test(`sorts by how well items fit a search, ${direction}`, async (store) => {
        const fields = severalFields.at(-1)!.map((path, index) => ({
          path: toFieldPath(path),
          weight: [1, 7, 3, 7][index]!,
        }))
        for (const terms of [
          [termOf('a', 'beginning')],
          [termOf('old man', 'word'), termOf('e', 'beginning'), termOf('x', 'word', true)],
          [termOf('zoe', 'word', true)],
        ]) {
          const search = { kind: 'search', fields, terms } as const
          const sort = [{ search, direction }]
          const whole = expectedPage(world, book, { ...planOf(), sort })
          const first = await store.page(book, { ...planOf(), sort })
          expect(first.entries.map(({ id, position }) => ({ id, position }))).toEqual(whole)
          for (const kind of ['after', 'before'] as const) {
            const position = whole[Math.floor(whole.length / 2)]!.position
            const plan = { ...planOf(), sort, pageRange: { kind, position, limit: 3 } }
            const { entries } = await store.page(book, plan)
            expect(entries.map(({ id, position }) => ({ id, position }))).toEqual(
              expectedPage(world, book, plan),
            )
          }
        }
      })
    }

    for (const paths of severalFields) {
      test(`searches ${paths.join(', ')} for several words, and without others`, async (store) => {
        const all = searched.map((text) => termOf(text, 'word'))
        for (const [index, term] of all.entries()) {
          const other = termOf(searched[(index + 5) % searched.length]!, 'beginning')
          const excluded = termOf(searched[(index + 9) % searched.length]!, 'word', true)
          for (const terms of [[term, other], [excluded], [term, excluded], [other, excluded]]) {
            const condition = searchFor(paths, ...terms)
            const negated: Condition = { kind: 'not', condition }
            const ids = await matching(store, book, condition)
            expect(ids, JSON.stringify(terms)).toEqual(expectedIds(condition))
            expect(await matching(store, book, negated)).toEqual(expectedIds(negated))
          }
        }
      })
    }
  })
}
