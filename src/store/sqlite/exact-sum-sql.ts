import type { DecimalNumber } from '../../query/decimal-number.ts'
import type { ExactSumSql, SummedKind } from '../sql/dialect.ts'

/** The SQL function that computes `decimalLimbs` (`groups/decimal-limbs.ts`). */
export const decimalLimbsFunction = 'decimal_limbs'

/** A value is an integer of 64 bits, in two parts, so that the sum of no billion rows overflows. */
const lowBits = 30

/** What a value is counted in, and how its number of units is computed. */
interface Units {
  /** Is the value a whole number of units, as its decimal digits say? */
  readonly isWhole: string
  /** The number of units. */
  readonly count: string
  readonly scale: number
  /** The number of values. */
  readonly values: string
}

/**
 * Sums integers, because a sum of doubles depends on the order of the rows. What is no whole number
 * of millionths is summed by its digits, with a function in JavaScript.
 */
export function exactSumSql(value: string, kind: SummedKind): ExactSumSql {
  const { isWhole, count, scale, values } = unitsOf(value, kind)
  const sum = (part: string) => `cast(sum(${part}) filter (where ${isWhole}) as text)`
  return {
    columns: [values, sum(`${count} >> ${lowBits}`), sum(`${count} & ${2 ** lowBits - 1}`)],
    read: ([high, low]): DecimalNumber => ({
      digits: (toBigInt(high) << BigInt(lowBits)) + toBigInt(low),
      scale,
    }),
    rest: {
      count: `count(${value}) filter (where not ${isWhole})`,
      isLeftOut: `not ${isWhole}`,
      limbs: (alias) => ({
        table: `json_each(${decimalLimbsFunction}(${value})) ${alias}`,
        // A member of an object has a text as its key.
        index: `${alias}.key`,
        limb: `${alias}.value`,
      }),
    },
  }
}

function unitsOf(value: string, kind: SummedKind): Units {
  switch (kind) {
    case 'integer':
      return {
        isWhole: `(${value} between -9007199254740992 and 9007199254740992 and ${value} = cast(${value} as integer))`,
        count: `cast(${value} as integer)`,
        scale: 0,
        values: `count(${value})`,
      }
    case 'number':
      // A decimal number of at most 15 digits is what its double is written as.
      return {
        isWhole: `(${value} > -1e9 and ${value} < 1e9 and round(${value} * 1e6) / 1e6 = ${value})`,
        count: `cast(round(${value} * 1e6) as integer)`,
        scale: 6,
        values: `count(${value})`,
      }
    case 'decimal':
      return unitsOfKey(value)
  }
}

/** Of the key of a decimal number (`toDecimalKey`). */
function unitsOfKey(key: string): Units {
  const wholeLength = `cast(substr(${key}, 2, 4) as integer)`
  return {
    isWhole: `(${key} glob 'p[0-9]*' and substr(${key}, 2, 4) <= '0012' and length(${key}) - 5 - ${wholeLength} <= 6)`,
    count: `cast(substr(substr(${key}, 6) || '000000', 1, ${wholeLength} + 6) as integer)`,
    scale: 6,
    values: `count(${key}) filter (where ${key} glob 'p[0-9][0-9][0-9][0-9][0-9]*' or ${key} glob 'n[a-j][a-j][a-j][a-j][a-j]*')`,
  }
}

function toBigInt(text: unknown): bigint {
  return BigInt((text as string | null) ?? 0)
}
