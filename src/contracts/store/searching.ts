import { expect } from 'vitest'
import { foldText, type TextOperator, toFieldPath } from '../../store/public.ts'
import { insert, matching, type Suite, type World } from './harness.ts'
import { author, book } from './models.ts'
import { searchingWords } from './searching-words.ts'

const texts = [
  '',
  'Dune',
  'dune',
  'DUNE',
  'Dune Messiah',
  '100%',
  '100x',
  '%',
  '_',
  'a_b',
  'axb',
  'a\\b',
  'a\\_b',
  '\\',
  '\\%',
  "O'Brien",
  '"quoted"',
  "'; DROP TABLE book; --",
  '😀',
  'x😀y',
  'xy',
  '\uFFFD',
  'Äpfel',
  'äpfel',
  '[a]',
  '*',
  '?',
  'a*b',
  'aab',
  'aaab',
  'abab',
  'a\nb',
  'null',
  'false',
  '10',
  'Straße',
  'STRASSE',
  'a\u0308pfel',
  'ΟΔΟΣ',
  'οδός',
  'ŻÓŁĆ',
  'ﬁx',
]

const needles = [
  ...texts,
  '%une',
  'D%',
  '%',
  '%%',
  '_',
  '__',
  '___',
  'a_b',
  'a%b',
  'a\\_b',
  'a\\%',
  '%_%',
  'x_y',
  '_😀_',
  '%😀%',
  '%a%b%',
  'a%a%b',
  'D_ne%',
  '%ß%',
  '_pfel',
  '[a-z]',
  'a?b',
  '%\n%',
  'u',
  'a',
  'strasse',
  'APFEL',
  '\u0301',
  'οδοσ',
  'σ',
  'zołc',
  'zolc',
  'FIX',
  '\\',
  "'",
]

const operators = [
  'contains',
  'startsWith',
  'endsWith',
  'like',
  'equalIgnoringCase',
  'containsIgnoringCase',
  'startsWithIgnoringCase',
] as const

const paths = ['title', 'notes', 'dimensions.cover.material', 'author.name']

const world: World = [
  [author, [...texts.map((name, index) => ({ id: `a-${index}`, name })), { id: 'a-null' }]],
  [
    book,
    [
      ...texts.map((text, index) => ({
        id: `b-${index}`,
        title: text,
        notes: text,
        dimensions: { cover: { material: text } },
        author: `a-${index}`,
        price: index,
        inStock: true,
      })),
      { id: 'n-absent' },
      { id: 'n-null', title: null, notes: null, dimensions: null, author: 'a-null' },
      { id: 'n-missing', author: 'a-missing' },
    ],
  ],
]

function holds(text: string, operator: TextOperator, value: string): boolean {
  switch (operator) {
    case 'contains':
      return text.indexOf(value) >= 0
    case 'startsWith':
      return text.slice(0, value.length) === value
    case 'endsWith':
      return value.length <= text.length && text.slice(text.length - value.length) === value
    case 'like':
      return isLike([...text], [...value])
    case 'equalIgnoringCase':
      return foldText(text) === foldText(value)
    case 'containsIgnoringCase':
      return foldText(text).indexOf(foldText(value)) >= 0
    case 'startsWithIgnoringCase':
      return foldText(text).indexOf(foldText(value)) === 0
  }
}

/** Slow, but too simple to be wrong. */
function isLike(text: readonly string[], [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return text.length === 0
  if (first === '%')
    return Array.from({ length: text.length + 1 }, (_, from) => text.slice(from)).some((suffix) =>
      isLike(suffix, rest),
    )
  return text.length > 0 && (first === '_' || first === text[0]) && isLike(text.slice(1), rest)
}

export function searching(suite: Suite): void {
  searchingWords(suite)
  suite.reading('searching', world, (test) => {
    for (const operator of operators) {
      for (const dotted of paths) {
        test(`searches ${dotted} by ${operator}`, async (store) => {
          for (const value of needles) {
            const actual = await matching(store, book, {
              kind: 'text',
              path: toFieldPath(dotted),
              operator,
              value,
            })
            const expected = texts.flatMap((text, index) =>
              holds(text, operator, value) ? [`b-${index}`] : [],
            )
            expect(actual, `${dotted} ${operator} ${JSON.stringify(value)}`).toEqual(
              expected.sort(),
            )
          }
        })
      }

      test(`finds nothing by ${operator} in values that are not text`, async (store) => {
        for (const dotted of ['price', 'inStock', 'pages', 'author.rating']) {
          for (const value of ['1', 'true', '']) {
            expect(
              await matching(store, book, {
                kind: 'text',
                path: toFieldPath(dotted),
                operator,
                value,
              }),
            ).toEqual([])
          }
        }
      })

      test(`searches ids by ${operator}`, async (store) => {
        for (const [dotted, value] of [
          ['id', 'b-1'],
          ['author', 'a-1'],
          ['author.id', 'a-1'],
        ] as const) {
          const actual = await matching(store, book, {
            kind: 'text',
            path: toFieldPath(dotted),
            operator,
            value,
          })
          const all = texts.flatMap((_, index) =>
            holds(`${value.slice(0, 2)}${index}`, operator, value) ? [`b-${index}`] : [],
          )
          expect(actual).toEqual(all.sort())
        }
      })
    }

    test('finds null when a text condition is negated', async (store) => {
      const condition = {
        kind: 'text',
        path: toFieldPath('title'),
        operator: 'contains',
        value: '',
      } as const
      expect(await matching(store, book, { kind: 'not', condition })).toEqual([
        'n-absent',
        'n-missing',
        'n-null',
      ])
    })
  })

  suite.alone('matches a costly pattern at once', async (store) => {
    await insert(store, book, { id: '1', title: `${'a'.repeat(20_000)}b` })
    const condition = {
      kind: 'text',
      path: toFieldPath('title'),
      operator: 'like',
      value: `${'%a'.repeat(12)}%c`,
    } as const
    const start = performance.now()
    expect(await matching(store, book, condition)).toEqual([])
    expect(performance.now() - start).toBeLessThan(1_000)
  })

  suite.alone('tells text that holds a NUL from its beginning', async (store) => {
    await insert(store, book, { id: '1', title: 'a\0b', notes: 'a\0b' })
    await insert(store, book, { id: '2', title: 'a', notes: 'a' })
    for (const name of ['title', 'notes']) {
      const path = toFieldPath(name)
      const of = (value: string) =>
        matching(store, book, { kind: 'compare', path, operator: 'equal', value })
      expect(await of('a\0b')).toEqual(['1'])
      expect(await of('a')).toEqual(['2'])
      expect(
        await matching(store, book, { kind: 'text', path, operator: 'endsWith', value: 'b' }),
      ).toEqual(['1'])
    }
  })
}
