import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import type { ValueType } from '../../model/value-type.ts'
import type { ColumnType } from '../tables/column-type.ts'
import { columnWriter } from '../tables/column-writer.ts'
import { postgresCodecFor } from './codec-for.ts'
import { PostgresDatabase } from './database.ts'

/** All that JSON escapes, and what some writers escape too. */
const special = [
  ...Array.from({ length: 0xff }, (_, code) => String.fromCharCode(code + 1)),
  '\\u0000',
  '\u2028\u2029',
  '\ufeff\uffff',
  '\u{10ffff}',
  '</script>',
]
const texts = fc.oneof(
  fc.constantFrom(...special),
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...special)).map((parts) => parts.join('')),
)
const storable = texts.filter((text) => !/[\0\p{Surrogate}]/u.test(text))
const integers = (bits: number) =>
  fc.oneof(
    fc.constantFrom('0', '-1', '1', String(2n ** BigInt(bits - 1) - 1n)),
    fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n }).map(String),
  )
const safeLimits = fc.constantFrom(
  ...[-2, -1, 0, 1, 2].flatMap((step) => [
    String(BigInt(Number.MAX_SAFE_INTEGER) + BigInt(step)),
    String(BigInt(Number.MIN_SAFE_INTEGER) + BigInt(step)),
  ]),
)
const numerics = fc.oneof(
  fc.constantFrom('NaN', 'Infinity', '-Infinity', '0.00', '-0', '1e-400', '1.50', '1e300'),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 20 }))
    .map(([digits, scale]) => `${digits}e-${scale}`),
)
const dates = fc.oneof(
  fc.constantFrom('infinity', '-infinity', '0044-03-15 BC', '12024-01-01', '9999-12-31'),
  fc.constantFrom('0001-01-01', '2024-02-29', '10000-01-01', '0001-12-31 BC'),
  fc
    .date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(-24, -14)),
)
const times = fc.oneof(
  dates,
  fc
    .tuple(dates, fc.constantFrom('10:00', '23:59:59.999999', '00:00:00.000001', '12:30:00.5'))
    .map(([date, time]) => (date.includes('infinity') ? date : date.replace(/^\S+/, `$& ${time}`))),
)
const floats = fc.oneof(
  fc.constantFrom('NaN', 'Infinity', '-Infinity', '-0', '0', '1e15', '1e-5', '1e21', '0.1'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
)

const valuesOf: Readonly<Record<string, fc.Arbitrary<string>>> = {
  text: storable,
  'character varying': storable,
  character: storable.filter((text) => [...text].length <= 1),
  bigint: fc.oneof(integers(64), safeLimits),
  integer: integers(32),
  smallint: integers(16),
  numeric: numerics,
  real: fc.oneof(
    fc.constantFrom('NaN', 'Infinity', '-0', '0.1', '3e38', '1e-45'),
    fc.float({ noNaN: true, noDefaultInfinity: true }).map(String),
  ),
  'double precision': floats,
  boolean: fc.constantFrom('true', 'false'),
  date: dates,
  'timestamp with time zone': times,
  'timestamp without time zone': times,
  uuid: fc.uuid(),
  jsonb: fc.json({ noUnicodeString: true }).filter((json) => !json.includes('\\u0000')),
  interval: fc.constantFrom('-1 month 3 days', '0', '178000000 years', '1 day 00:00:01.5'),
  inet: fc.constantFrom('10.0.0.1', '::1', '192.168.0.0/16'),
  money: fc.constantFrom('1.5', '-2', '1234567.89'),
  time: fc.constantFrom('24:00', '00:00', '12:30:00.5'),
}
const columnTypes: readonly ColumnType[] = [
  'text',
  'date',
  'instant',
  'decimal',
  'uuid',
  'integer',
  'number',
  'boolean',
  'json',
  'texts',
  'id',
]
const columns = columnTypes.flatMap((type) =>
  Object.keys(valuesOf).flatMap((name) => {
    const codec = postgresCodecFor(type, { kind: 'base', name })
    return codec ? [{ type, name, codec }] : []
  }),
)
const valueTypeOf = (type: ColumnType): ValueType => {
  if (type === 'integer' || type === 'number' || type === 'boolean') return { kind: type }
  return type === 'json' || type === 'texts'
    ? { kind: 'opaque' }
    : { kind: 'text', format: undefined }
}

describePostgres('The JSON that PostgreSQL writes of a column', () => {
  let database: TestDatabase
  let server: PostgresDatabase

  beforeAll(async () => {
    database = await newDatabase()
    server = new PostgresDatabase(database.url, { maxConnections: 1 })
  }, 120_000)
  afterAll(async () => {
    await server?.close()
    await database?.drop()
  })

  it.each(columns.filter(({ codec }) => codec.json))(
    'of type $type in $name is what JavaScript writes of its value',
    async ({ type, name, codec }) => {
      const write = columnWriter(codec, valueTypeOf(type))
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.option(valuesOf[name]!, { freq: 20 }), { minLength: 1, maxLength: 60 }),
          async (values) => {
            const sql = `select ${codec.select('v.c')}, ${codec.json!('v.c')} from (select c::${name} from unnest($1::text[]) with ordinality e(c, n) order by n) v`
            const [result] = await server.read([{ sql, parameters: [values] }])
            const rows = result!.rows
            expect(rows.map(([, json]) => json)).toEqual(
              rows.map(([raw]) => (raw === null ? null : write(raw))),
            )
          },
        ),
        { numRuns: 40 },
      )
    },
    60_000,
  )

  it('is there for all types whose values JSON writes in one form', () => {
    const without = columns.filter(({ codec }) => !codec.json)
    expect(without.map(({ type, name }) => `${type} in ${name}`)).toMatchInlineSnapshot(`
      [
        "integer in numeric",
        "number in bigint",
        "number in numeric",
        "number in real",
        "number in double precision",
        "json in jsonb",
        "texts in jsonb",
      ]
    `)
  })
})
