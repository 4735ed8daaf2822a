import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { toDecimalKey } from '../../query/decimal.ts'
import { decimalSql } from './decimal-sql.ts'
import { loadDriver } from './driver.ts'

/** Also such as are no decimal numbers. */
const text = fc.oneof(
  fc.stringMatching(/^-?[0-9]{1,30}(\.[0-9]{1,12})?$/),
  fc.stringMatching(/^-?0?[0-9]{0,3}\.?[0-9.-]{0,4}0{0,3}$/),
  fc.string().filter((one) => !one.includes('\0')),
)

test('SQL and JavaScript compute the same key for decimal numbers and other texts', async () => {
  const database = (await loadDriver()).open(temporaryFile(), { readOnly: false })
  try {
    const statement = database.prepare(`select ${decimalSql('?1')}`)
    fc.assert(
      fc.property(text, (one) => {
        expect(statement.get([one])?.[0]).toBe(toDecimalKey(one))
      }),
      { numRuns: 3_000 },
    )
  } finally {
    database.close()
  }
})
