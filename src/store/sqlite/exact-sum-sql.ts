import type { DecimalNumber } from '../../query/decimal-number.ts'
import {
  countSql,
  type ExactSumSql,
  type QuickSumSql,
  type SummedKind,
  type SummedValue,
} from '../sql/dialect.ts'
import { decimalSql } from './decimal-sql.ts'

/** The SQL function that computes `decimalLimbs` (`groups/decimal-limbs.ts`). */
export const decimalLimbsFunction = 'decimal_limbs'

/** A value is an integer of 64 bits, in two parts, so that the sum of no billion rows overflows. */
const lowBits = 30

/** Of a number that is no integer, a value has so many decimal digits. */
const unitScale = 6

/**
 * Sums integers, because a sum of doubles depends on the order of the rows. What is no whole number
 * of millionths is summed by its digits, with a function in JavaScript.
 */
export function exactSumSql(summed: SummedValue): ExactSumSql {
  const { value, kind, units } = summed
  const sum = (part: string) => `cast(sum(${part}) as text)`
  return {
    columns: [
      kind === 'decimal' ? decimalKeys(value) : countSql(summed),
      sum(`${units} >> ${lowBits}`),
      sum(`${units} & ${2 ** lowBits - 1}`),
    ],
    read: ([high, low]): DecimalNumber => ({
      digits: (toBigInt(high) << BigInt(lowBits)) + toBigInt(low),
      scale: kind === 'integer' ? 0 : unitScale,
    }),
    rest: {
      count: `${countSql(summed)} - count(${units})`,
      isLeftOut: `${value} is not null and ${units} is null`,
      limbs: (alias) => ({
        table: `json_each(${decimalLimbsFunction}(${readableSql(value, kind)})) ${alias}`,
        // A member of an object has a text as its key.
        index: `${alias}.key`,
        limb: `${alias}.value`,
      }),
    },
  }
}

/** The driver cannot read integers beyond 2^53. Clients see the nearest double in a number. */
function readableSql(value: string, kind: SummedKind): string {
  if (kind === 'decimal') return value
  const readable =
    kind === 'integer' ? decimalSql(`cast(${value} as text)`) : `cast(${value} as real)`
  return `iif(typeof(${value}) = 'integer', ${readable}, ${value})`
}

/** SQLite sums integers as integers of 64 bits, and makes a double of the sum of anything else. */
export const quickSumSql: QuickSumSql = {
  columns: ({ value, isNullable }) => [countSql({ value, isNullable }), sumAsText(`sum(${value})`)],
  asText: sumAsText,
  isOverflow: (error) => error instanceof Error && error.message === 'integer overflow',
}

function sumAsText(sum: string): string {
  return `iif(typeof(${sum}) = 'real', null, cast(ifnull(${sum}, 0) as text))`
}

/**
 * The value as a number of millionths, or of ones if it is of whole numbers; NULL if its decimal
 * digits are no such number.
 */
export function summedUnitsSql(value: string, kind: SummedKind): string {
  switch (kind) {
    case 'integer': {
      const isSafe = `${value} between -9007199254740992 and 9007199254740992`
      return `iif(${isSafe} and ${value} = cast(${value} as integer), cast(${value} as integer), null)`
    }
    case 'number':
      // A decimal number of at most 15 digits is what its double is written as.
      return `iif(${value} > -1e9 and ${value} < 1e9 and round(${value} * 1e6) / 1e6 = ${value}, cast(round(${value} * 1e6) as integer), null)`
    case 'decimal': {
      const wholeLength = `cast(substr(${value}, 2, 4) as integer)`
      const isWhole = `${value} glob 'p[0-9]*' and substr(${value}, 2, 4) <= '0012' and length(${value}) - 5 - ${wholeLength} <= ${unitScale}`
      return `iif(${isWhole}, cast(substr(substr(${value}, 6) || '000000', 1, ${wholeLength} + ${unitScale}) as integer), null)`
    }
  }
}

/** The number of keys of decimal numbers (`toDecimalKey`). */
function decimalKeys(value: string): string {
  return `count(${value}) filter (where ${value} glob 'p[0-9][0-9][0-9][0-9][0-9]*' or ${value} glob 'n[a-j][a-j][a-j][a-j][a-j]*')`
}

function toBigInt(text: unknown): bigint {
  return BigInt((text as string | null) ?? 0)
}
