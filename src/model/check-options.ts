import { unknownName } from '../error/unknown-name.ts'
import { RegistrationError } from './registration-error.ts'

/** The numbers that an option allows. */
export interface NumberBounds {
  readonly min: number
  readonly max: number
  /** With the unit: `an integer`. */
  readonly description: string
}

/**
 * A check for every option of a type, so that the compiler finds a new option without one. `true`
 * means that another check covers the value.
 */
export type OptionChecks<O> = {
  readonly [K in keyof O]-?: CheckForType<NonNullable<O[K]>>
}

type CheckForType<V> = [V] extends [(...inputs: never) => unknown]
  ? 'function' | true
  : [V] extends [number]
    ? NumberBounds
    : [V] extends [boolean]
      ? boolean extends V
        ? 'boolean'
        : true
      : [V] extends [string]
        ? string extends V
          ? 'string' | true
          : readonly V[] | true
        : true

export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): NumberBounds {
  return { min, max, description: 'an integer' }
}

/** A duration. Node.js timers allow at most 2^31 - 1 ms. */
export const milliseconds: NumberBounds = {
  min: 0,
  max: 2 ** 31 - 1,
  description: 'an integer (milliseconds)',
}
export const positiveMilliseconds: NumberBounds = { ...milliseconds, min: 1 }

/** How long something is kept: at most a century. */
export const days: NumberBounds = { min: 1, max: 36_500, description: 'an integer (days)' }

/** Fills in the defaults of options that are absent or undefined. */
export function withDefaults<O extends object>(defaults: O, options: Partial<O>): O {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.freeze({ ...defaults, ...Object.fromEntries(defined) })
}

/**
 * Refuses unknown options of a public function, and values that an option does not allow:
 * numbers, strings, booleans, and what is not a function. All of them at once, each in a line.
 *
 * @param owner the function, with parentheses: `image()`
 * @throws RegistrationError
 */
export function checkOptions<O extends object>(
  owner: string,
  options: O,
  checks: OptionChecks<O>,
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new RegistrationError(
      `The options of ${owner} must be an object; got ${formatValue(options)}.`,
    )
  refuseWithoutNames(owner, options)
  const names = Object.keys(checks)
  const faults: string[] = []
  // Options may be inherited, and those of a class are not listed.
  for (const name in options)
    if (!names.includes(name))
      faults.push(unknownName(`Unknown option '${name}' of ${owner}`, name, names))
  for (const name of names as (keyof O & string)[]) {
    const value = options[name]
    const expected = value === undefined ? undefined : unmetCheck(value, checks[name] as Check)
    if (expected !== undefined)
      faults.push(
        `The option '${name}' of ${owner} must be ${expected}; got ${formatValue(value)}.`,
      )
  }
  if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
}

/** Refuses a promise, a map and a set: none of the options in them would be read. */
function refuseWithoutNames(owner: string, options: object): void {
  const subject = `The options of ${owner} must be an object with their names`
  if ('then' in options && typeof options.then === 'function')
    throw new RegistrationError(`${subject}; got a promise. Await it first.`)
  if (options instanceof Map || options instanceof Set)
    throw new RegistrationError(`${subject}; got a ${options.constructor.name}.`)
}

/**
 * Refuses an option that is not a list of names, or has a name that is not allowed.
 *
 * @param allowed the names that it may have
 * @param description what the names stand for: `the names that it hides`
 */
export function checkNames(
  owner: string,
  option: string,
  names: unknown,
  allowed: readonly string[],
  description: string,
): void {
  const subject = `The option '${option}' of ${owner}`
  if (!Array.isArray(names))
    throw new RegistrationError(`${subject} must be an array of names; got ${formatValue(names)}.`)
  for (const name of names) {
    if (allowed.includes(name)) continue
    const statement = `${subject} names ${formatValue(name)}`
    throw new RegistrationError(unknownName(statement, String(name), allowed, { description }))
  }
}

type Check = NumberBounds | 'boolean' | 'function' | 'string' | readonly unknown[] | true

/** What the value must be; undefined if it is. */
function unmetCheck(value: unknown, check: Check): string | undefined {
  if (check === true) return undefined
  if (typeof check === 'string') return typeof value === check ? undefined : namesOfTypes[check]
  if ('min' in check) return unmetBounds(value, check)
  return check.includes(value) ? undefined : check.map(formatValue).join(' or ')
}

const namesOfTypes = { boolean: 'true or false', function: 'a function', string: 'a string' }

function unmetBounds(value: unknown, { min, max, description }: NumberBounds): string | undefined {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max)
    return undefined
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  return `${description} ${range}`
}

/** A value as messages show it. */
export function formatValue(value: unknown): string {
  return typeof value === 'string'
    ? `'${value}'`
    : Array.isArray(value)
      ? 'an array'
      : typeof value === 'object' && value !== null && !('toString' in value)
        ? 'an object'
        : String(value)
}
