import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { toInstantKey } from '../../query/instant.ts'
import type { ColumnRange } from '../sql/table.ts'
import type { ColumnCodec } from '../tables/column-type.ts'
import { loadDriver } from './driver.ts'
import { localInstantCodec, sqliteCodecs } from './tables/codecs.ts'

const digits = (min: number, max: number, length = 2) =>
  fc.integer({ min, max }).map((value) => String(value).padStart(length, '0'))
const zone = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('Z', '') },
  fc
    .tuple(fc.constantFrom('+', '-'), digits(0, 15), digits(0, 60))
    .map(([sign, hour, minute]) => `${sign}${hour}:${minute}`),
)
/** Of a few days, so that many are near each other; also such as there are none. */
const dateTime = fc
  .tuple(
    fc.constantFrom('2023', '2024'),
    fc.constantFrom('02', '03', '12', '13'),
    fc.constantFrom('00', '01', '02', '05', '06', '15', '28', '29', '30', '31'),
    fc.constantFrom('T', ' '),
    fc.oneof(digits(0, 25), fc.constantFrom('00', '10')),
    fc.option(
      fc.tuple(
        fc.constantFrom('00', '30', '59', '60'),
        fc.option(
          fc.tuple(
            fc.constantFrom('00', '30', '60'),
            fc.option(fc.constantFrom('0', '5', '50', '05', '123456')),
          ),
        ),
      ),
    ),
    zone,
  )
  .map(([year, month, day, separator, hour, rest, zone]) => {
    const [minute, second] = rest ?? []
    const [whole, fraction] = second ?? []
    const seconds = whole === undefined ? '' : `:${whole}${fraction ? `.${fraction}` : ''}`
    const minutes = minute === undefined ? '' : `:${minute}${seconds}`
    return `${year}-${month}-${day}${separator}${hour}${minutes}${zone}`
  })
const stored = fc.oneof(
  { weight: 8, arbitrary: dateTime },
  fc.tuple(dateTime, fc.constantFrom('', 'é', '~', 'Z', ' x')).map(([one, more]) => one + more),
  fc.constantFrom('2024-02-28', '2024', '', 'soon', '2024 02', 1_709_251_200, new Uint8Array([1])),
)

function rangeOf({ form }: ColumnCodec): ColumnRange {
  if (form.kind !== 'native' || !form.columnRange) throw new Error('The column has no range.')
  return form.columnRange
}

/** Values of columns that compare as others, with both ends of a range of the column. */
async function checkRange(codec: ColumnCodec, columnType: string): Promise<void> {
  const { form } = codec
  const { from, until } = rangeOf(codec)
  const database = (await loadDriver()).open(temporaryFile(), { readOnly: false })
  onTestFinished(() => database.close())
  // One transaction, which writes nothing to the disk.
  database.exec(`begin; create table t (c ${columnType}, o)`)
  const insert = database.prepare('insert into t values (?, ?)')
  const query = database.prepare(
    `select ${form.value('c')} >= o, ${from.holds('c', from.bounds('o'))}, ` +
      `${form.value('c')} <= o, ${until.holds('c', until.bounds('o'))} from t`,
  )
  const keyOf = database.prepare(`select ${form.value('c')} from t`)
  fc.assert(
    fc.property(stored, stored, (value, other) => {
      database.exec('delete from t')
      insert.run([other, null])
      const [key] = keyOf.get([])!
      database.exec('delete from t')
      insert.run([value, key])
      const [isFrom, isInFrom, isUntil, isInUntil] = query.get([])!
      expect({ value, key, isInFrom: isFrom === 1 ? isInFrom : 1 }).toMatchObject({ isInFrom: 1 })
      expect({ value, key, isInUntil: isUntil === 1 ? isInUntil : 1 }).toMatchObject({
        isInUntil: 1,
      })
    }),
    { numRuns: 1_000 },
  )
}

test('no date-time is outside of its range, whatever form it has', () =>
  checkRange(sqliteCodecs.instant, 'text'))

test('no date-time of a column without zones is outside of its range', () =>
  checkRange(localInstantCodec, 'datetime'))

test('a range has few texts in UTC besides those between the instants', async () => {
  const { from, until } = rangeOf(sqliteCodecs.instant)
  const database = (await loadDriver()).open(temporaryFile(), { readOnly: false })
  onTestFinished(() => database.close())
  database.exec('create table t (c text)')
  for (const time of ['09:59:59', '10:00:00', '10:00:01'])
    for (const day of ['05', '29', '31'])
      for (const separator of ['T', ' '])
        database.prepare('insert into t values (?)').run([`2024-03-${day}${separator}${time}Z`])
  const isIn = `${from.holds('c', from.bounds('?1'))} and ${until.holds('c', until.bounds('?1'))}`
  for (const day of ['05', '29', '31'])
    expect(
      database
        .prepare(`select c from t where ${isIn}`)
        .all([`2024-03-${day}T10:00:00`])
        .flat(),
    ).toEqual([`2024-03-${day}T10:00:00Z`, `2024-03-${day} 10:00:00Z`])
})

test('texts of any form compare as their instants', async () => {
  const database = (await loadDriver()).open(temporaryFile(), { readOnly: false })
  onTestFinished(() => database.close())
  const { form } = sqliteCodecs.instant
  const keyOf = database.prepare(
    `select ${form.kind === 'native' ? form.value('c') : 'null'} from (select ?1 as c)`,
  )
  const texts = stored.filter((value) => typeof value === 'string')
  fc.assert(
    fc.property(texts, (text) => {
      expect(keyOf.get([text])).toEqual([toInstantKey(text.replace(/^(.{4}-..-..) /, '$1T'))])
    }),
    { numRuns: 1_000 },
  )
})
