import {
  type Condition,
  type FieldPath,
  type PathCondition,
  type Scalar,
  toFieldPath,
} from '../../store/public.ts'

export function is(path: FieldPath, value: Scalar): Condition {
  return { kind: 'compare', path, operator: 'equal', value }
}

export function holding(path: FieldPath, quantity: 'any' | 'all', ...values: Scalar[]): Condition {
  return { kind: 'members', path, quantity, values }
}

/** Some of the related items satisfy the condition. */
function some(dotted: string, condition: Condition, ...guards: PathCondition[]): Condition {
  return { kind: 'some', path: guarded(dotted, ...guards), condition }
}

export function guarded(dotted: string, ...guards: PathCondition[]): FieldPath {
  return { ...toFieldPath(dotted), guards }
}

export const alive: PathCondition = { depth: 1, condition: is(toFieldPath('alive'), true) }
const austrian: PathCondition = { depth: 2, condition: is(toFieldPath('country'), 'AT') }

/** Of the books, `b-1` and `b-3` satisfy it. */
const listed: PathCondition = {
  depth: 0,
  condition: { kind: 'oneOf', path: toFieldPath('price'), values: [5, 25] },
}

/** Each line: the condition, the books, and the books that match. */
export const byPath: readonly (readonly [string, Condition, readonly string[]])[] = [
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
  ['a value behind a guard on the item', is(guarded('price', listed), 5), ['b-1']],
  ['a value hidden by a guard on the item', is(guarded('price', listed), 15), []],
  [
    'what a guard on the item makes null',
    is(guarded('price', listed), null),
    ['b-2', 'b-4', 'b-5', 'b-6'],
  ],
  [
    'a range of a value hidden by a guard on the item',
    { kind: 'compare', path: guarded('price', listed), operator: 'greaterThan', value: 10 },
    ['b-3'],
  ],
  ['the id behind a guard on the item', is(guarded('id', listed), 'b-1'), ['b-1']],
  ['the id hidden by a guard on the item', is(guarded('id', listed), 'b-2'), []],
  [
    'an id that a guard on the item makes null',
    is(guarded('id', listed), null),
    ['b-2', 'b-4', 'b-5', 'b-6'],
  ],
  ['an identifier hidden by a guard on the item', is(guarded('author', listed), 'a-2'), []],
  [
    'an identifier that a guard on the item makes null',
    is(guarded('author', listed), null),
    ['b-2', 'b-4', 'b-5', 'b-6'],
  ],
  ['a related value hidden by a guard on the item', is(guarded('author.name', listed), 'Bob'), []],
  [
    'a related value behind guards on both items',
    is(guarded('author.name', listed, alive), 'Cem'),
    ['b-3'],
  ],
  [
    'a value behind two guards on the item',
    {
      kind: 'oneOf',
      path: guarded('price', listed, { depth: 0, condition: is(toFieldPath('author'), 'a-3') }),
      values: [5, 15, 25],
    },
    ['b-3'],
  ],
  [
    'a guard on the item that reaches through a relation',
    is(guarded('price', { depth: 0, condition: is(toFieldPath('author.name'), 'Bob') }), 15),
    ['b-2'],
  ],
  [
    'a guard on the item by its members',
    {
      kind: 'oneOf',
      path: guarded('price', {
        depth: 0,
        condition: { kind: 'not', condition: holding(toFieldPath('tags'), 'any', 'de') },
      }),
      values: [5, 15, 25],
    },
    ['b-2', 'b-3'],
  ],
  [
    'a guard on the item with a guard of its own',
    is(guarded('price', { depth: 0, condition: is(guarded('author', alive), null) }), 15),
    ['b-2'],
  ],
  [
    'a struct member hidden by a guard on the item',
    holding(guarded('dimensions.cover.labels', listed), 'any', 'a'),
    [],
  ],
  ['an array behind a guard on the item', holding(guarded('tags', listed), 'any', 'new'), ['b-1']],
  [
    'all of an array behind a guard on the item',
    holding(guarded('scores', listed), 'all', 1),
    ['b-1'],
  ],
  [
    'a relation behind a guard on the item',
    holding(guarded('genres', listed), 'any', 'g-1', 'g-3'),
    ['b-1'],
  ],
  [
    'all of no identifiers behind a guard on the item',
    holding(guarded('genres', listed), 'all'),
    ['b-1', 'b-2', 'b-3', 'b-4', 'b-5', 'b-6'],
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
  ['some of a relation', some('genres', is(toFieldPath('parent'), 'g-1')), ['b-1', 'b-4', 'b-5']],
  [
    'none of a relation',
    { kind: 'not', condition: some('genres', is(toFieldPath('parent'), 'g-1')) },
    ['b-2', 'b-3', 'b-6'],
  ],
  [
    'some of an inverse relation behind another',
    some('author.books', is(toFieldPath('price'), 5)),
    ['b-1'],
  ],
  ['some behind a guard', some('author.books', is(toFieldPath('price'), 15), alive), []],
  [
    'some of guarded members',
    some('genres', is(toFieldPath('id'), 'g-1'), {
      depth: 1,
      condition: is(toFieldPath('parent'), 'g-1'),
    }),
    [],
  ],
  ['some, of which none can be', some('genres', { kind: 'never' }), []],
]
