import { checkOptions } from '../check-options.ts'
import { RegistrationError } from '../registration-error.ts'
import { digitsKeyword } from '../value-type.ts'
import {
  type ScalarOptions,
  type ScalarSchema,
  scalarOptions,
  scalarSchema,
} from './scalar-schema.ts'

/**
 * Declares an exact decimal number, such as an amount of money. In JSON it is a text without an
 * exponent; `'9.5'` becomes `'9.50'` at a scale of 2, and more digits are refused, never rounded.
 * It compares and sorts as a number. PostgreSQL tables get a column `numeric(precision, scale)`.
 *
 * ```ts
 * const discount = decimal(5, 2, { default: '0' })
 * const Order = model('order', { total: decimal(10, 2), discount })
 * ```
 *
 * @param precision the most digits, from 1 to 1000
 * @param scale how many of them follow the point
 * @throws RegistrationError for invalid digits, and for an unknown or invalid option
 */
export function decimal<const O extends ScalarOptions = Record<never, never>>(
  precision: number,
  scale: number,
  options?: O,
): ScalarSchema<O> {
  if (options) checkOptions<ScalarOptions>('decimal()', options, scalarOptions)
  if (!Number.isInteger(precision) || precision < 1 || precision > maxPrecision)
    throw new RegistrationError(
      `The precision of decimal() must be an integer from 1 to ${maxPrecision}; got ${precision}.`,
    )
  if (!Number.isInteger(scale) || scale < 0 || scale > precision)
    throw new RegistrationError(
      `The scale of decimal() must be an integer from 0 to its precision ${precision}; got ${scale}.`,
    )
  const pattern = patternOf(precision, scale)
  const isValid = new RegExp(pattern)
  const form = {
    schema: { format: 'decimal', pattern, [digitsKeyword]: { precision, scale } },
    expected: `expected a decimal number as text, with at most ${precision - scale} digits before the point and ${scale} after it, such as '${exampleOf(precision, scale)}'`,
    canonical: (text: string) => (isValid.test(text) ? withScale(text, scale) : undefined),
  }
  return scalarSchema('decimal()', form, options)
}

/** PostgreSQL keeps no more. */
const maxPrecision = 1_000

function patternOf(precision: number, scale: number): string {
  const whole = precision - scale
  const integer = whole === 0 ? '0' : `(?:0|[1-9]\\d{0,${whole - 1}})`
  return `^-?${integer}${scale === 0 ? '' : `(?:\\.\\d{1,${scale}})?`}$`
}

function exampleOf(precision: number, scale: number): string {
  return withScale(precision > scale ? '9' : '0', scale)
}

/** Zero has no sign. */
function withScale(text: string, scale: number): string {
  const [whole = '', fraction = ''] = text.split('.')
  const padded = scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`
  return /[1-9]/.test(padded) ? padded : padded.replace('-', '')
}
