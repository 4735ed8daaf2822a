import { addDecimals, type DecimalNumber, parseNumber, zero } from '../../query/decimal-number.ts'
import { countSql, type ExactSumSql, type SummedValue } from '../sql/dialect.ts'

/**
 * Sums integers and decimal numbers, because a sum of doubles depends on the order of the rows. A
 * double is the number that it is written as: a cast to `numeric` keeps fifteen digits only.
 */
export function exactSumSql(summed: SummedValue): ExactSumSql {
  const { value, kind, engineSum } = summed
  const counted = countSql(summed)
  if (kind === 'decimal')
    return {
      columns: [counted, `sum(${value})::text`],
      read: ([sum]) => numberIn(sum) ?? zero,
    }
  // Sums of integers take a third of the time of those of decimal numbers.
  const { isWhole, count, scale } = kind === 'integer' ? integers(value) : millionths(value)
  return {
    columns: engineSum
      ? [counted, 'null', engineSum]
      : [
          counted,
          `(sum(${count}) filter (where ${isWhole}))::text`,
          `(sum(${value}::text::numeric) filter (where not ${isWhole}))::text`,
        ],
    read: ([units, others]) => {
      const whole = numberIn(units) ?? zero
      return addDecimals({ digits: whole.digits, scale }, numberIn(others) ?? zero)
    },
  }
}

function integers(value: string) {
  return {
    isWhole: `(${value} between -9000000000000000000 and 9000000000000000000)`,
    count: `${value}::bigint`,
    scale: 0,
  }
}

/** A decimal number of at most 15 digits is what its double is written as. */
function millionths(value: string) {
  return {
    isWhole: `(case when ${value} > -1e9 and ${value} < 1e9 then round(${value} * 1e6) / 1e6 = ${value} else false end)`,
    count: `round(${value} * 1e6)::bigint`,
    scale: 6,
  }
}

function numberIn(text: unknown): DecimalNumber | undefined {
  return typeof text === 'string' ? parseNumber(text) : undefined
}
