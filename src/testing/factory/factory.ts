import type { LoadedItem } from '../../api/load-items.ts'
import { checkOptions, type OptionChecks, wholeNumber } from '../../model/check-options.ts'
import type { AnyModel } from '../../model/declare/model.ts'
import { type FactoryField, factoryFields } from './factory-fields.ts'
import { makeValue } from './make-value.ts'

/** Values of an item, by the names of the model. */
export type FactoryValues<M extends AnyModel> = Partial<LoadedItem<M>>

export interface FactoryOptions<M extends AnyModel> {
  /** Another seed gives other values; the same one the same. Default: 1. */
  readonly seed?: number
  /**
   * Values of every item, in place of made ones: fixed, or by the number of the item, from 1.
   * Default: none.
   */
  readonly values?: FactoryValues<M> | ((number: number) => FactoryValues<M>)
}

/** Makes items of a model. */
export interface Factory<M extends AnyModel> {
  /**
   * The next item, with its own id, all required values, and the given ones. Optional values and
   * relations, and those with a default, are left out.
   * @throws TypeError if a required value cannot be made, or a given one is not valid
   */
  build(values?: FactoryValues<M>): LoadedItem<M>
  /** Several items; the function gets the index of each, from 0. @throws as `build` */
  buildMany(
    count: number,
    values?: FactoryValues<M> | ((index: number) => FactoryValues<M>),
  ): LoadedItem<M>[]
}

/**
 * Creates a factory that makes valid values from the schemas of a model: the same ones with each
 * run. Unique values differ, and so do ids. Required to-one relations have no value to make: give
 * them to `build`, or with the option `values`.
 *
 * ```ts
 * const books = factory(Book, { values: { author: 'mary-shelley' } })
 * await router.load(Book, [books.build({ title: 'Frankenstein' }), ...books.buildMany(20)])
 * ```
 *
 * @throws RegistrationError for an unknown option, or if a field of the model is invalid
 */
export function factory<M extends AnyModel>(model: M, options: FactoryOptions<M> = {}): Factory<M> {
  checkOptions('factory()', options, factoryOptions)
  const { seed = 1, values: commonValues = {} } = options
  const fields = factoryFields(model)
  const names = new Set(['id', ...Object.keys(model.fields)])
  let number = 0

  const build = (values: FactoryValues<M> = {} as FactoryValues<M>): LoadedItem<M> => {
    number++
    const common = typeof commonValues === 'function' ? commonValues(number) : commonValues
    const item: Record<string, unknown> = { id: `${model.modelName}-${number}` }
    Object.assign(item, common, values)
    for (const name of Object.keys(item))
      if (!names.has(name))
        throw new TypeError(`The model '${model.modelName}' has no field '${name}'.`)
    const random = randomNumbers(seed, number)
    for (const field of fields) {
      if (item[field.name] === undefined) setValue(model, item, field, { number, random })
      else checkValue(model, field, item[field.name])
    }
    return item as LoadedItem<M>
  }
  return {
    build,
    buildMany: (count, values) =>
      Array.from({ length: count }, (_, index) =>
        build(typeof values === 'function' ? values(index) : values),
      ),
  }
}

function setValue(
  { modelName }: AnyModel,
  item: Record<string, unknown>,
  field: FactoryField,
  source: { readonly number: number; readonly random: () => number },
): void {
  if (!field.isRequired) return
  if (field.kind === 'relation')
    throw new TypeError(
      `'${field.name}' is a required relation of '${modelName}', which a factory cannot make. Give the id of an item: build({ ${field.name}: '…' }).`,
    )
  const value = makeValue(field.schema, { ...source, name: field.name })
  if (value === undefined || field.check(value) !== undefined)
    throw new TypeError(
      `The schema of '${field.name}' of '${modelName}' says too little to make a value. Give one: factory(model, { values: (number) => ({ ${field.name}: … }) }).`,
    )
  item[field.name] = value
}

function checkValue({ modelName }: AnyModel, field: FactoryField, value: unknown): void {
  const message = field.kind === 'value' ? field.check(value) : undefined
  if (message !== undefined)
    throw new TypeError(`The given '${field.name}' of '${modelName}' is not valid: ${message}`)
}

const factoryOptions: OptionChecks<{ readonly seed?: number; readonly values?: unknown }> = {
  seed: wholeNumber(0, 2 ** 32 - 1),
  values: true,
}

/** Numbers from 0 up to 1, which look random and depend on the two seeds alone (mulberry32). */
function randomNumbers(seed: number, stream: number): () => number {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream, 0x85ebca6b)) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
