import { findNearestName } from '../error/nearest-name.ts'
import { RegistrationError } from './registration-error.ts'

/** Which numbers an option takes. */
export interface NumberBounds {
  readonly min: number
  readonly max: number
  /** With the unit: `a whole number`. */
  readonly description: string
}

/**
 * Every option there is, so that one that is added to the type cannot be forgotten here. Options
 * that hold numbers alone say which numbers, those that hold one of some words say which words;
 * `true` stands for values that are checked where they are used.
 */
export type OptionChecks<O> = {
  readonly [K in keyof O]-?: CheckForType<NonNullable<O[K]>>
}

type CheckForType<V> = [V] extends [number]
  ? NumberBounds
  : [V] extends [boolean]
    ? 'boolean'
    : [V] extends [string]
      ? string extends V
        ? true
        : readonly V[] | true
      : true

export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): NumberBounds {
  return { min, max, description: 'a whole number' }
}

/** A duration; timers keep none that is longer. */
export const milliseconds: NumberBounds = {
  min: 0,
  max: 2 ** 31 - 1,
  description: 'a whole number of milliseconds',
}
export const positiveMilliseconds: NumberBounds = { ...milliseconds, min: 1 }

/** The options, with defaults for those that are absent or undefined. */
export function withDefaults<O extends object>(defaults: O, given: Partial<O>): O {
  const defined = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.freeze({ ...defaults, ...Object.fromEntries(defined) })
}

/**
 * Refuses options that a public function does not have, and numbers, words and flags that it cannot
 * use.
 *
 * @param owner the function, as it is called: `image()`
 * @throws RegistrationError naming the option, and the one that was probably meant
 */
export function checkOptions<O extends object>(
  owner: string,
  options: O,
  known: OptionChecks<O>,
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new RegistrationError(
      `The options of ${owner} must be an object; got ${formatValue(options)}.`,
    )
  const names = Object.keys(known)
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name)) throw unknownOption(owner, name, names)
    if (value !== undefined)
      checkValue(`The option '${name}' of ${owner}`, value, known[name as keyof O] as Check)
  }
}

/**
 * Refuses an option that is no list of names, or names what it cannot.
 *
 * @param known the names that it can hold
 * @param are what these are: `what it hides`
 */
export function checkNames(
  owner: string,
  option: string,
  names: unknown,
  known: readonly string[],
  are: string,
): void {
  const what = `The option '${option}' of ${owner}`
  if (!Array.isArray(names))
    throw new RegistrationError(`${what} must be an array of names; got ${formatValue(names)}.`)
  for (const name of names) {
    if (known.includes(name)) continue
    const meant = typeof name === 'string' ? findNearestName(name, known) : undefined
    const help =
      meant === undefined
        ? `expected is one of ${are}: ${known.join(', ') || 'none'}`
        : `did you mean '${meant}'?`
    throw new RegistrationError(
      `${what} names ${formatValue(name)}; ${help}${help.endsWith('?') ? '' : '.'}`,
    )
  }
}

type Check = NumberBounds | 'boolean' | readonly unknown[] | true

function checkValue(what: string, value: unknown, check: Check): void {
  if (check === true) return
  if (check === 'boolean') {
    if (typeof value !== 'boolean')
      throw new RegistrationError(`${what} must be true or false; got ${formatValue(value)}.`)
  } else if ('min' in check) checkNumber(what, value, check)
  else if (!check.includes(value))
    throw new RegistrationError(
      `${what} must be ${check.map(formatValue).join(' or ')}; got ${formatValue(value)}.`,
    )
}

function checkNumber(what: string, value: unknown, { min, max, description }: NumberBounds): void {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new RegistrationError(`${what} must be ${description} ${range}; got ${formatValue(value)}.`)
}

function unknownOption(owner: string, name: string, names: readonly string[]): RegistrationError {
  const meant = findNearestName(name, names)
  const help =
    meant === undefined ? `There are ${names.join(', ') || 'none'}.` : `Did you mean '${meant}'?`
  return new RegistrationError(`Unknown option '${name}' of ${owner}. ${help}`)
}

function formatValue(value: unknown): string {
  return typeof value === 'string'
    ? `'${value}'`
    : Array.isArray(value)
      ? 'an array'
      : String(value)
}
