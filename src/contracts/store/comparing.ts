import { expect } from 'vitest'
import {
  type CompareOperator,
  type Condition,
  type Scalar,
  type StoredValues,
  toFieldPath,
} from '../../store/public.ts'
import { insertAll, matching, type Suite, type World } from './harness.ts'
import { author, book, publisher } from './models.ts'

/** The values of each type in their order, and where the items of the world have them. */
const ladders: Readonly<Record<'text' | 'number' | 'integer' | 'boolean', Ladder>> = {
  text: {
    // biome-ignore format: one line shows the order
    values: ['', ' ', '"', '%', "'", '0', '10', '9', 'A', 'Z', '_', 'a', 'ab', 'b', 'z', 'é', '\uE000', '\uFFFD', '😀', '😀a', '\u{10FFFD}'],
    paths: [
      'title',
      'subtitle',
      'notes',
      'dimensions.cover.material',
      'author.name',
      'author.pseudonym',
      'author.publisher.name',
    ],
  },
  number: {
    values: [-1e300, -2.5, -1, 0, 0.1, 1, 2.5, 10, 9007199254740991, 1e21, 1e300],
    paths: ['price', 'secret', 'dimensions.width', 'author.rating'],
  },
  integer: {
    values: [-9007199254740991, -5, 0, 1, 9, 10, 2147483648, 9007199254740991],
    paths: ['pages', 'dimensions.cover.weight', 'author.born'],
  },
  boolean: { values: [false, true], paths: ['inStock', 'dimensions.cover.isHard', 'author.alive'] },
}

interface Ladder {
  readonly values: readonly Scalar[]
  readonly paths: readonly string[]
}

const operators: readonly CompareOperator[] = [
  'equal',
  'notEqual',
  'greaterThan',
  'greaterThanOrEqual',
  'lessThan',
  'lessThanOrEqual',
]

const size = ladders.text.values.length
const steps = Array.from({ length: size }, (_, step) => step)

function valuesAt(step: number): {
  text: Scalar
  number: Scalar
  integer: Scalar
  boolean: Scalar
} {
  const valueAt = ({ values }: Ladder) => values[step % values.length] ?? null
  return {
    text: valueAt(ladders.text),
    number: valueAt(ladders.number),
    integer: valueAt(ladders.integer),
    boolean: valueAt(ladders.boolean),
  }
}

function bookAt(step: number): StoredValues {
  const { text, number, integer, boolean } = valuesAt(step)
  return {
    id: `b-${step}`,
    title: text,
    subtitle: text,
    notes: text,
    price: number,
    secret: number,
    pages: integer,
    inStock: boolean,
    dimensions: { width: number, cover: { material: text, weight: integer, isHard: boolean } },
    author: `a-${step}`,
  }
}

function authorAt(step: number): StoredValues {
  const { text, number, integer, boolean } = valuesAt(step)
  return {
    id: `a-${step}`,
    name: text,
    pseudonym: text,
    rating: number,
    born: integer,
    alive: boolean,
    publisher: `p-${step}`,
  }
}

const nothing = {
  title: null,
  subtitle: null,
  notes: null,
  price: null,
  secret: null,
  pages: null,
  inStock: null,
}

/** Every form of a missing value. */
const blanks: readonly StoredValues[] = [
  { id: 'n-absent' },
  { id: 'n-null', ...nothing, dimensions: null, author: null },
  { id: 'n-inner', dimensions: { width: null, cover: null }, author: 'a-absent' },
  { id: 'n-innermost', dimensions: { cover: { material: null } }, author: 'a-null' },
  { id: 'n-empty', dimensions: { cover: {} }, author: 'a-missing' },
]

const world: World = [
  [
    publisher,
    [...steps.map((step) => ({ id: `p-${step}`, name: valuesAt(step).text })), { id: 'p-absent' }],
  ],
  [
    author,
    [
      ...steps.map(authorAt),
      { id: 'a-absent', publisher: 'p-absent' },
      {
        id: 'a-null',
        name: null,
        rating: null,
        born: null,
        alive: null,
        pseudonym: null,
        publisher: 'p-missing',
      },
    ],
  ],
  [book, [...steps.map(bookAt), ...blanks]],
]

/** By the index in the ordered values; null comes before the first. */
function holds(position: number, operator: CompareOperator, value: number): boolean {
  switch (operator) {
    case 'equal':
      return position === value
    case 'notEqual':
      return position !== value
    case 'greaterThan':
      return position > value
    case 'greaterThanOrEqual':
      return position >= value
    case 'lessThan':
      return position < value
    case 'lessThanOrEqual':
      return position <= value
  }
}

function idsWhere(ladder: Ladder, accepts: (position: number) => boolean): string[] {
  const filled = steps
    .filter((step) => accepts(step % ladder.values.length))
    .map((step) => `b-${step}`)
  return [...filled, ...(accepts(-1) ? blanks.map((blank) => blank.id) : [])].sort()
}

export function comparing(suite: Suite): void {
  suite.reading('comparing', world, (test) => {
    for (const [type, ladder] of Object.entries(ladders)) {
      for (const dotted of ladder.paths) {
        const path = toFieldPath(dotted)

        test(`compares ${type} at ${dotted} with every value and null`, async (store) => {
          for (const value of [null, ...ladder.values]) {
            for (const operator of operators) {
              const position = value === null ? -1 : ladder.values.indexOf(value)
              const actual = await matching(store, book, { kind: 'compare', path, operator, value })
              expect(actual, `${dotted} ${operator} ${value}`).toEqual(
                idsWhere(ladder, (held) => holds(held, operator, position)),
              )
            }
          }
        })

        test(`finds ${type} at ${dotted} among values`, async (store) => {
          for (const values of [
            [],
            [null],
            ladder.values,
            [null, ...ladder.values.slice(1, 3)],
            ladder.values.slice(-1),
            // Values that no item has; an integer cannot have the fraction.
            [0.0625, 'no value'],
            [null, 0.0625, 'no value'],
          ]) {
            const isListed = (position: number): boolean =>
              values.includes(position < 0 ? null : (ladder.values[position] ?? null))
            const condition: Condition = { kind: 'oneOf', path, values }
            expect(await matching(store, book, condition), `${dotted} oneOf ${values}`).toEqual(
              idsWhere(ladder, isListed),
            )
            expect(
              await matching(store, book, { kind: 'not', condition }),
              `not ${dotted} oneOf ${values}`,
            ).toEqual(idsWhere(ladder, (position) => !isListed(position)))
          }
        })

        test(`treats ${type} at ${dotted} as neither equal to, nor less or greater than, another type`, async (store) => {
          const foreign = (['text', 'number', 'boolean'] as const)
            .filter((other) => other !== (type === 'integer' ? 'number' : type))
            .flatMap((other) => [
              ...ladders[other].values.slice(0, 9),
              ladders[other].values.at(-1) ?? null,
            ])
          for (const value of foreign) {
            for (const operator of operators) {
              const actual = await matching(store, book, { kind: 'compare', path, operator, value })
              const ofNull =
                operator === 'notEqual' || operator === 'lessThan' || operator === 'lessThanOrEqual'
              expect(actual, `${dotted} ${operator} ${typeof value} ${value}`).toEqual(
                idsWhere(ladder, (position) => (position < 0 ? ofNull : operator === 'notEqual')),
              )
            }
          }
          expect(await matching(store, book, { kind: 'oneOf', path, values: foreign })).toEqual([])
        })
      }
    }

    test('compares ids', async (store) => {
      const of = (operator: CompareOperator, value: Scalar) =>
        matching(store, author, { kind: 'compare', path: toFieldPath('id'), operator, value })
      expect(await of('equal', 'a-1')).toEqual(['a-1'])
      expect(await of('equal', 'A-1')).toEqual([])
      expect(await of('equal', null)).toEqual([])
      expect(await of('equal', 1)).toEqual([])
      expect(await of('lessThan', 'a-1')).toEqual(['a-0'])
      expect(await of('greaterThanOrEqual', 'a-9')).toEqual(['a-9', 'a-absent', 'a-null'])
      expect(await of('notEqual', 'a-1')).toHaveLength(size + 1)
    })

    test('accepts more values than a statement has parameters', async (store) => {
      const values = [
        ...Array.from({ length: 40_000 }, (_, index) => `none-${index}`),
        'b-3',
        'n-null',
      ]
      expect(
        await matching(store, book, { kind: 'oneOf', path: toFieldPath('id'), values }),
      ).toEqual(['b-3', 'n-null'])
    })
  })

  suite.alone('compares numbers to the last bit', async (store) => {
    const values = [
      0.1,
      0.30000000000000004,
      0.3,
      1.1,
      123456789.12345679,
      1.7976931348623157e308,
      5e-324,
      2.2250738585072014e-308,
      9007199254740991,
      8.41e21,
      1e23,
      9.5e-7,
      0.1234567890123456,
      4.35,
      4.349999999999999,
      1 / 3,
    ]
    await insertAll(store, [
      [book, values.map((price, index) => ({ id: `${index}`, price, secret: price }))],
    ])
    for (const [index, value] of values.entries()) {
      for (const name of ['price', 'secret']) {
        const actual = await matching(store, book, {
          kind: 'compare',
          path: toFieldPath(name),
          operator: 'equal',
          value,
        })
        expect(actual, `${name} ${value}`).toEqual([`${index}`])
      }
    }
  })
}
