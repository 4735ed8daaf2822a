import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ValueType } from '../../model/value-type.ts'
import type { ColumnType } from '../tables/column-type.ts'
import { columnWriter } from '../tables/column-writer.ts'
import { jsonInMemberOrder } from '../tables/json-in-member-order.ts'
import type { DatabaseType } from '../tables/schema/database-type.ts'
import { postgresCodecFor } from './codec-for.ts'

const base = (name: string): DatabaseType => ({ kind: 'base', name })
const array = (items: string): DatabaseType => ({ kind: 'array', items: base(items) })
const text: ValueType = { kind: 'text', format: undefined }

/** What the writer of a column would write if it decoded each value. */
function decoded(type: ColumnType, database: DatabaseType, valueType: ValueType, raw: string) {
  return jsonInMemberOrder(valueType)(postgresCodecFor(type, database)!.decode(raw))
}

function written(type: ColumnType, database: DatabaseType, valueType: ValueType, raw: string) {
  return columnWriter(postgresCodecFor(type, database)!, valueType)(raw)
}

const columns: readonly (readonly [ColumnType, DatabaseType])[] = [
  ...(['bigint', 'integer', 'smallint', 'numeric'] as const).map(
    (name) => ['integer', base(name)] as const,
  ),
  ...(['double precision', 'real', 'numeric', 'bigint', 'integer', 'smallint'] as const).map(
    (name) => ['number', base(name)] as const,
  ),
  ...(['bigint', 'numeric', 'text', 'character varying', 'inet'] as const).map(
    (name) => ['text', base(name)] as const,
  ),
  ['id', base('bigint')],
  ['id', base('text')],
  ['id', base('character')],
]

const digits = (max: number) =>
  fc
    .array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: max })
    .map((all) => all.join(''))
/** As PostgreSQL writes numbers of all its types, and as it does not. */
const numberText = fc.oneof(
  fc.constantFrom('NaN', 'Infinity', '-Infinity', '-0', '0', '0.0', '1e+15', '1e-07', '0.000001'),
  fc.constantFrom('0.0000001', '-0.5', '9.50', '007', '1.', '.5', '0.30000000000000004', '1E400'),
  fc.maxSafeInteger().map(String),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
  fc
    .tuple(fc.constantFrom('', '-'), digits(18), fc.constantFrom('', '.'), digits(18))
    .map((all) => all.join('')),
)

describe('The writer of a column', () => {
  it.each(columns)('of type %s in %j writes numbers as if it decoded them', (type, database) => {
    const valueType: ValueType = type === 'integer' || type === 'number' ? { kind: type } : text
    fc.assert(
      fc.property(numberText, (raw) => {
        expect(written(type, database, valueType, raw)).toBe(
          decoded(type, database, valueType, raw),
        )
      }),
      { numRuns: 500 },
    )
  })

  it.each<[ColumnType, DatabaseType]>([
    ['json', base('jsonb')],
    ['json', base('json')],
    ['texts', base('jsonb')],
    ['texts', array('numeric')],
  ])('of type %s in %j writes JSON as if it parsed it', (type, database) => {
    fc.assert(
      fc.property(typeAndJson, ({ valueType, json }) => {
        expect(written(type, database, valueType, json)).toBe(
          decoded(type, database, valueType, json),
        )
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not parse what it can write without', () => {
    const size: ValueType = structOf([
      ['width', { kind: 'number' }],
      ['depth', { kind: 'number' }],
      ['é', text],
    ])
    const codec = postgresCodecFor('json', base('jsonb'))!
    const write = columnWriter(
      { ...codec, decode: () => expect.unreachable() },
      { kind: 'array', items: size },
    )
    expect(write('[]')).toBe('[]')
    expect(write('[{"é": "🎬, [", "depth": 1.5, "width": -2}, {}, null, {"width": 0}]')).toBe(
      '[{"width":-2,"depth":1.5,"é":"🎬, ["},{},null,{"width":0}]',
    )
  })
})

function structOf(members: readonly (readonly [string, ValueType])[]): ValueType {
  return {
    kind: 'struct',
    members: new Map(members.map(([name, type]) => [name, { type, isRequired: false }])),
  }
}

const memberName = fc.constantFrom(
  'a',
  'b',
  'aa',
  'é',
  '10',
  '2',
  '__proto__',
  'toString',
  'x"y',
  'a: ',
)

const { valueType } = fc.letrec<{ valueType: ValueType; inner: ValueType }>((tie) => ({
  valueType: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<ValueType>(text, { kind: 'number' }, { kind: 'boolean' }, { kind: 'opaque' }),
    tie('inner'),
  ),
  inner: fc.oneof(
    tie('valueType').map((items): ValueType => ({ kind: 'array', items })),
    fc
      .uniqueArray(fc.tuple(memberName, tie('valueType')), {
        selector: ([name]) => name,
        maxLength: 4,
      })
      .map(structOf),
  ),
}))

/** JSON that is often of the type, as `jsonb` or as a program may have written it. */
const typeAndJson = valueType.chain((type) =>
  fc.record({
    valueType: fc.constant(type),
    json: fc.oneof({ weight: 3, arbitrary: jsonOf(type, true) }, jsonOf(type, false), anyJson),
  }),
)

const anyJson = fc.json({ maxDepth: 3 })
const jsonNumber = numberText.filter((number) =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]\d+)?$/.test(number),
)
const jsonText = fc
  .oneof(
    fc.string(),
    fc.constantFrom('', ', ', '": "', 'é', '🎬', '\\', '"', '\u007f', '\u2028', '{', ']'),
  )
  .map((value) => JSON.stringify(value))

/** @param isStored as `jsonb`, else in any order and with any space */
function jsonOf(type: ValueType, isStored: boolean): fc.Arbitrary<string> {
  const other = fc.constantFrom('null', '7', '"x"', '"{}"', '[]', '{}', '[{"b": 1, "a": 2}]')
  const mostly = (json: fc.Arbitrary<string>) =>
    fc.oneof({ weight: 12, arbitrary: json }, { weight: 1, arbitrary: other })
  const space = isStored ? fc.constant(' ') : fc.constantFrom('', ' ', '\n ')
  switch (type.kind) {
    case 'array':
      return mostly(
        fc
          .tuple(fc.array(jsonOf(type.items, isStored), { maxLength: 4 }), space)
          .map(([items, space]) => `[${items.join(`,${space}`)}]`),
      )
    case 'struct': {
      const members = [...type.members].map(([name, { type }]) =>
        fc.option(jsonOf(type, isStored).map((json) => [name, json] as const)),
      )
      return mostly(
        fc.tuple(fc.tuple(...members), fc.boolean(), space).map(([all, hasMore, space]) => {
          const present = all.filter((member) => member !== null)
          if (hasMore && present.length % 3 === 1) present.push(['more', '1'])
          if (isStored) present.sort(([one], [other]) => compareKeys(one, other))
          return `{${present.map(([name, json]) => `${JSON.stringify(name)}:${space}${json}`).join(`,${space}`)}}`
        }),
      )
    }
    case 'text':
      return mostly(jsonText)
    case 'boolean':
      return mostly(fc.constantFrom('true', 'false'))
    case 'opaque':
      return mostly(fc.oneof(jsonText, jsonNumber))
    default:
      return mostly(jsonNumber)
  }
}

/** Shorter ones come first in `jsonb`. */
function compareKeys(one: string, other: string): number {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length - second.length || Buffer.compare(first, second)
}
