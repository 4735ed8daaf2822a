import type { ItemsOptions } from '../context/items-options.ts'
import type { RequestHeaders } from '../http/api-request.ts'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import type { ReadItemOptions, WriteItemOptions } from '../model/items/items.ts'

/**
 * JavaScript may give the members that items must have, as other libraries take them. Without a
 * query, a write would change all items.
 * @throws TypeError
 */
export function expectQuery(call: string, query: unknown): void {
  if (typeof query !== 'function')
    throw new TypeError(
      `${call} expects a query function, such as (q) => q.where('price').lessThan(5).`,
    )
}

/**
 * Items that may be iterated only once.
 * @throws TypeError for a single item
 */
export function expectItems<T>(call: string, values: Iterable<T>): readonly T[] {
  if (typeof values === 'object' && values !== null && Symbol.iterator in values) return [...values]
  throw new TypeError(`${call} expects an array or another iterable of items.`)
}

/** @throws TypeError */
export function expectNames(call: string, option: string, names: unknown): void {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return
  throw new TypeError(`The option '${option}' of ${call} must be an array of names.`)
}

const readOptions: OptionChecks<ReadItemOptions> = { include: true }

/** @throws RegistrationError for an unknown option, TypeError for an invalid value */
export function expectReadOptions(
  call: string,
  options: ReadItemOptions<string> | undefined,
): void {
  if (options === undefined) return
  checkOptions(call, options, readOptions)
  if (options.include !== undefined) expectNames(call, 'include', options.include)
}

const writeOptions: OptionChecks<WriteItemOptions> = { if: true }

/**
 * The headers of a write with these options.
 * @throws RegistrationError for an unknown option: without its precondition, a write is another one
 */
export function writeHeaders(call: string, options: WriteItemOptions | undefined): RequestHeaders {
  if (options === undefined) return {}
  checkOptions(call, options, writeOptions)
  return options.if === undefined ? {} : { 'if-match': `"${options.if}"` }
}

const itemsOptions: OptionChecks<ItemsOptions> = { as: true }

/**
 * Without its context, code would act as the service, which may do everything.
 * @throws RegistrationError for an unknown option, TypeError for what is no context
 */
export function expectItemsOptions(call: string, options: ItemsOptions | undefined): void {
  if (options === undefined) return
  checkOptions(call, options, itemsOptions)
  if ('as' in options && !isContext(options.as))
    throw new TypeError(
      `The option 'as' of ${call} must be the context of a request. Omit it where the service acts.`,
    )
}

function isContext(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'request' in value &&
    'rule' in value &&
    'signal' in value
  )
}
