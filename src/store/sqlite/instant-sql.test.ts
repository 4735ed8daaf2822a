import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { compareText } from '../../query/compare.ts'
import { toInstantKey } from '../../query/instant.ts'
import { loadDriver } from './driver.ts'
import { instantSql } from './instant-sql.ts'

const digits = (min: number, max: number, length = 2) =>
  fc.integer({ min, max }).map((value) => String(value).padStart(length, '0'))
const zone = fc.oneof(
  fc.constantFrom('Z', 'z', ''),
  fc
    .tuple(fc.constantFrom('+', '-'), digits(0, 15), digits(0, 60))
    .map(([sign, h, m]) => `${sign}${h}:${m}`),
)
/** Also such as there are none. */
const dateTime = fc
  .tuple(
    digits(0, 9_999, 4),
    digits(0, 13),
    digits(0, 32),
    digits(0, 25),
    digits(0, 60),
    fc.option(fc.tuple(digits(0, 61), fc.option(fc.stringMatching(/^\d{1,12}$/)))),
    zone,
  )
  .map(([year, month, day, hour, minute, second, zone]) => {
    const [whole, fraction] = second ?? []
    const seconds = whole === undefined ? '' : `:${whole}${fraction ? `.${fraction}` : ''}`
    return `${year}-${month}-${day}T${hour}:${minute}${seconds}${zone}`
  })
const text = fc
  .oneof(
    { weight: 4, arbitrary: dateTime },
    fc.tuple(dateTime, fc.string()).map(([one, more]) => one + more),
  )
  .filter((one) => !one.includes('\0'))

test('SQL and JavaScript compute the same key for date-times and other texts', async () => {
  const database = (await loadDriver()).open(temporaryFile(), { readOnly: false })
  try {
    const statement = database.prepare(`select ${instantSql('?1')}`)
    fc.assert(
      fc.property(text, (one) => {
        expect(statement.get([one])?.[0]).toBe(toInstantKey(one))
        expect(toInstantKey(toInstantKey(one))).toBe(toInstantKey(one))
      }),
      { numRuns: 2_000 },
    )
  } finally {
    database.close()
  }
})

test('keys sort by instant, with any offset and in local time', () => {
  const valid = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9998-12-30T00:00:00Z'),
    noInvalidDate: true,
  })
  const offset = fc.integer({ min: -899, max: 899 })
  const written = (date: Date, minutes: number) => {
    const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1)
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
    const two = (value: number) => String(value).padStart(2, '0')
    return `${local}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
  }
  fc.assert(
    fc.property(valid, offset, valid, offset, (one, first, other, second) => {
      const order = compareText(
        toInstantKey(written(one, first)),
        toInstantKey(written(other, second)),
      )
      expect(Math.sign(order)).toBe(Math.sign(one.getTime() - other.getTime()))
      expect(toInstantKey(one.toISOString())).toBe(toInstantKey(written(one, first)))
    }),
  )
  expect(toInstantKey('2024-05-01T08:00')).toBe(toInstantKey('2024-05-01T08:00:00.000Z'))
})
