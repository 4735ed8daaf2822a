import fc from 'fast-check'
import {
  type Condition,
  type FieldPath,
  type ModelDescription,
  type PageRange,
  type PathCondition,
  type QueryPlan,
  resolveScalarPath,
  type Scalar,
  type SearchTerm,
  type SortKey,
  type StoredValues,
} from '../../store/public.ts'
import { author, book, genre, publisher } from './models.ts'

// Few values, so that conditions match items and sorts have ties.
const text = fc.constantFrom('', 'a', 'A', 'ab', 'b%', 'a_b', "'", '\uFFFD', '😀', '1', 'true')
const number = fc.constantFrom(-1.5, 0, 1, 2, 10, 1e9)
const integer = fc.constantFrom(-1, 0, 1, 2, 10)
const idOf = (prefix: string) => fc.integer({ min: 0, max: 3 }).map((index) => `${prefix}-${index}`)

/** Null, absent, or a value. */
function maybe<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> {
  return fc.oneof(
    { weight: 4, arbitrary: value },
    { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
  )
}

function relation(prefix: string): fc.Arbitrary<string | null> {
  return fc.option(idOf(prefix), { freq: 5 })
}

function itemsWith(
  prefix: string,
  most: number,
  members: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<StoredValues[]> {
  return fc
    .array(fc.record(members), { maxLength: most })
    .map((items) => items.map((item, index) => ({ ...item, id: `${prefix}-${index}` })))
}

const publishers = itemsWith('p', 3, { name: maybe(text), country: maybe(text) })
const authors = itemsWith('a', 4, {
  name: maybe(text),
  rating: maybe(number),
  born: maybe(integer),
  alive: maybe(fc.boolean()),
  pseudonym: maybe(text),
  languages: maybe(fc.array(text, { maxLength: 3 })),
  publisher: relation('p'),
})
const genres = itemsWith('g', 4, { title: maybe(text), parent: relation('g') })
const books = itemsWith('b', 7, {
  title: maybe(text),
  subtitle: maybe(text),
  price: maybe(number),
  pages: maybe(integer),
  inStock: maybe(fc.boolean()),
  notes: maybe(text),
  secret: maybe(number),
  tags: maybe(fc.array(fc.option(text, { freq: 9 }), { maxLength: 3 })),
  scores: maybe(fc.array(number, { maxLength: 3 })),
  flags: maybe(fc.array(fc.boolean(), { maxLength: 2 })),
  dimensions: maybe(
    fc.record({
      width: maybe(number),
      cover: maybe(
        fc.record({
          material: maybe(text),
          isHard: maybe(fc.boolean()),
          weight: maybe(integer),
          labels: maybe(fc.array(text, { maxLength: 2 })),
        }),
      ),
    }),
  ),
  author: relation('a'),
  genres: fc.uniqueArray(idOf('g'), { maxLength: 3 }),
})

/** Items by the names of their models, which counterexamples can print. */
export const worlds: fc.Arbitrary<Readonly<Record<string, readonly StoredValues[]>>> = fc.record({
  publisher: publishers,
  author: authors,
  genre: genres,
  book: books,
})

/** What queries can name of a model: its own members, and relations to other models. */
interface Shape {
  readonly scalars: readonly string[]
  readonly many: readonly string[]
  readonly toOne: readonly (readonly [string, ModelDescription])[]
  readonly toMany: readonly (readonly [string, ModelDescription])[]
}

const shapes = new Map<ModelDescription, Shape>([
  [
    publisher,
    { scalars: ['id', 'name', 'country'], many: [], toOne: [], toMany: [['authors', author]] },
  ],
  [
    author,
    {
      scalars: ['id', 'name', 'rating', 'born', 'alive', 'pseudonym'],
      many: ['languages'],
      toOne: [['publisher', publisher]],
      toMany: [['books', book]],
    },
  ],
  [
    genre,
    {
      scalars: ['id', 'title'],
      many: [],
      toOne: [['parent', genre]],
      toMany: [
        ['children', genre],
        ['books', book],
      ],
    },
  ],
  [
    book,
    {
      scalars: [
        'id',
        'title',
        'subtitle',
        'price',
        'pages',
        'inStock',
        'notes',
        'secret',
        'dimensions.width',
        'dimensions.cover.material',
        'dimensions.cover.isHard',
        'dimensions.cover.weight',
      ],
      many: ['tags', 'scores', 'flags', 'dimensions.cover.labels'],
      toOne: [['author', author]],
      toMany: [['genres', genre]],
    },
  ],
])

const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('p', 'a', 'g', 'b').chain(idOf),
)

/** Arbitraries that are built recursively are cached. */
function remembered<A extends [ModelDescription, ...(string | number)[]], T>(
  make: (...args: A) => T,
): (...args: A) => T {
  const cache = new Map<string, T>()
  return (...args) => {
    const [model, ...rest] = args
    const key = [model.name, ...rest].join(' ')
    const value = cache.get(key) ?? make(...args)
    cache.set(key, value)
    return value
  }
}

const guards = remembered(
  (model: ModelDescription, depth: number, fuel: number): fc.Arbitrary<PathCondition[]> => {
    if (fuel <= 0) return fc.constant([])
    return fc.oneof(
      { weight: 2, arbitrary: fc.constant<PathCondition[]>([]) },
      {
        weight: 1,
        arbitrary: fc
          .array(conditions(model, fuel - 2), { minLength: 1, maxLength: 2 })
          .map((all) => all.map((condition) => ({ depth, condition }))),
      },
    )
  },
)

/** What a path leads to. `related`: a to-many relation. */
type PathKind = 'scalar' | 'many' | 'related'

/** A path to a member of this kind, through up to two relations, with guards on some. */
const paths = remembered(
  (
    model: ModelDescription,
    kind: PathKind,
    fuel: number,
    depth: number,
  ): fc.Arbitrary<FieldPath> => {
    const shape = shapes.get(model)!
    const members = { scalar: shape.scalars, many: shape.many, related: [] }[kind]
    const plain = members.map((name) => fc.constant({ names: name.split('.') }))
    const related = (kind === 'scalar' ? shape.toOne : shape.toMany).map(([name, target]) =>
      guards(target, depth, fuel).map((guards) => ({ names: [name], guards: guards })),
    )
    const through =
      depth > 2
        ? []
        : shape.toOne.filter(
            ([, target]) => kind === 'scalar' || shapes.get(target)!.toMany.length > 0,
          )
    const deeper = through.map(([name, target]) =>
      fc
        .tuple(guards(target, depth, fuel), paths(target, kind, fuel, depth + 1))
        .map(([own, rest]) => ({
          names: [name, ...rest.names],
          guards: [...own, ...(rest.guards ?? [])],
        })),
    )
    return fc.oneof(...plain, ...related, ...deeper)
  },
)

/** The same with guards on the item itself too. */
const guardedPaths = remembered(
  (model: ModelDescription, kind: PathKind, fuel: number): fc.Arbitrary<FieldPath> =>
    fc.tuple(guards(model, 0, fuel), paths(model, kind, fuel, 1)).map(([own, path]) => ({
      ...path,
      guards: [...own, ...(path.guards ?? [])],
    })),
)

const searchTerm: fc.Arbitrary<SearchTerm> = fc.record({
  words: fc.constantFrom('a', 'b', 'ab', 'a b', '1', 'true'),
  ending: fc.constantFrom('word', 'beginning'),
  isExcluded: fc.boolean(),
})

/** The model of the related items that a path leads to. */
function relatedModelOf(model: ModelDescription, { names }: FieldPath): ModelDescription {
  return names.reduce((owner, name) => {
    const { toOne, toMany } = shapes.get(owner)!
    return [...toOne, ...toMany].find(([relation]) => relation === name)![1]
  }, model)
}

const conditions = remembered((model: ModelDescription, fuel: number): fc.Arbitrary<Condition> => {
  const leaf: fc.Arbitrary<Condition> = fc.oneof(
    fc.record({
      kind: fc.constant('compare' as const),
      path: guardedPaths(model, 'scalar', fuel),
      operator: fc.constantFrom(
        'equal',
        'notEqual',
        'greaterThan',
        'greaterThanOrEqual',
        'lessThan',
        'lessThanOrEqual',
      ),
      value: scalar,
    }),
    fc.record({
      kind: fc.constant('oneOf' as const),
      path: guardedPaths(model, 'scalar', fuel),
      values: fc.array(scalar, { maxLength: 4 }),
    }),
    fc.record({
      kind: fc.constant('text' as const),
      path: guardedPaths(model, 'scalar', fuel),
      operator: fc.constantFrom(
        'contains',
        'startsWith',
        'endsWith',
        'like',
        'equalIgnoringCase',
        'containsIgnoringCase',
        'startsWithIgnoringCase',
      ),
      value: fc.oneof(text, fc.constantFrom('%', '_', 'a%', '%b', '_b', '%_%')),
    }),
    fc.record({
      kind: fc.constant('search' as const),
      fields: fc.array(
        fc.record({
          path: guardedPaths(model, 'scalar', fuel),
          weight: fc.integer({ min: 1, max: 9 }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      terms: fc.array(searchTerm, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('members' as const),
      path: guardedPaths(model, 'many', fuel),
      quantity: fc.constantFrom('any', 'all'),
      values: fc.array(scalar, { maxLength: 3 }),
    }),
    fc.constantFrom<Condition>({ kind: 'always' }, { kind: 'never' }),
  )
  if (fuel <= 0) return leaf
  const parts = fc.array(conditions(model, fuel - 1), { maxLength: 3 })
  const some = guardedPaths(model, 'related', fuel).chain((path) =>
    conditions(relatedModelOf(model, path), fuel - 2).map(
      (condition): Condition => ({ kind: 'some', path, condition }),
    ),
  )
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: some },
    { weight: 1, arbitrary: parts.map((all): Condition => ({ kind: 'and', conditions: all })) },
    { weight: 1, arbitrary: parts.map((all): Condition => ({ kind: 'or', conditions: all })) },
    {
      weight: 1,
      arbitrary: conditions(model, fuel - 1).map(
        (condition): Condition => ({ kind: 'not', condition }),
      ),
    },
  )
})

function windows(model: ModelDescription, sort: readonly SortKey[]): fc.Arbitrary<PageRange> {
  const limit = fc.constantFrom(1, 2, 3, 100)
  const position = fc
    .tuple(
      fc.tuple(...sort.map((key) => ('search' in key ? fc.nat(9) : valuesAt(model, key.path)))),
      fc.integer({ min: 0, max: 6 }),
    )
    .map(([values, index]) => [...values, `${model.name.charAt(0)}-${index}`])
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<PageRange>({ kind: 'offset', offset: 0, limit: 100 }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('offset' as const), offset: fc.nat(3), limit }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom('after', 'before'), position, limit }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('between' as const),
        after: position,
        before: position,
        limit,
      }),
    },
  )
}

/** A position has values of the sort keys, whether or not an item has them. */
function valuesAt(model: ModelDescription, path: FieldPath): fc.Arbitrary<Scalar> {
  const { leaf } = resolveScalarPath(model, path)
  if (leaf.kind === 'id') return fc.constantFrom('p', 'a', 'g', 'b').chain(idOf)
  if (leaf.kind === 'toOne') return relation(leaf.field.relatedModel.name.charAt(0))
  return fc.option<Scalar>({ text, number, integer, boolean: fc.boolean() }[leaf.type.kind], {
    freq: 3,
  })
}

const sortKeys = remembered(
  (model: ModelDescription): fc.Arbitrary<SortKey> =>
    fc.record({
      path: guardedPaths(model, 'scalar', 2),
      direction: fc.constantFrom('asc', 'desc'),
    }),
)

export interface Question {
  readonly model: string
  readonly plan: QueryPlan
}

export const queries: fc.Arbitrary<Question> = fc
  .constantFrom(publisher, author, genre, book, book, book)
  .chain((model) => fc.array(sortKeys(model), { maxLength: 3 }).map((sort) => ({ model, sort })))
  .chain(({ model, sort }) =>
    fc.tuple(conditions(model, 4), windows(model, sort)).map(([condition, window]) => ({
      model: model.name,
      plan: { condition, sort, pageRange: window },
    })),
  )
