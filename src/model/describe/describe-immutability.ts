import { unknownName } from '../../error/unknown-name.ts'
import { capitalize } from '../../text/message-text.ts'
import { checkOptions, type OptionChecks } from '../check-options.ts'
import type { ImmutableOption } from '../declare/model.ts'
import type { Immutability, ImmutableCondition, ModelDescription } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { expectedValues, isValueOf } from './describe-unique-sets.ts'

/**
 * Describes from when on the items of a model are immutable, after its fields.
 * @throws RegistrationError
 */
export function describeImmutability(model: ModelDescription): Immutability | undefined {
  const option: ImmutableOption | undefined = model.model.options.immutable
  if (option === undefined) return undefined
  const subject = `the option 'immutable' of the model '${model.name}'`
  checkOptions(subject, option, immutableOptions)
  const { where, except = [] } = option
  if (typeof where !== 'object' || where === null || Array.isArray(where))
    throw new RegistrationError(
      `${capitalize(subject)} must have the values of immutable items, such as { where: { status: 'issued' } }.`,
    )
  if (!Array.isArray(except))
    throw new RegistrationError(`'except' in ${subject} must be an array of names of fields.`)
  return Object.freeze({
    where: Object.freeze(
      Object.entries(where).map(([name, value]) => describeCondition(subject, model, name, value)),
    ),
    exceptions: new Set(except.map((name) => exceptionOf(subject, model, String(name)))),
  })
}

const immutableOptions: OptionChecks<ImmutableOption> = { where: true, except: true }

function describeCondition(
  subject: string,
  model: ModelDescription,
  name: string,
  declared: unknown,
): ImmutableCondition {
  const field = model.fieldsByName.get(name)
  if (field?.kind !== 'value') {
    const names = model.valueFields.map((each) => each.name)
    throw new RegistrationError(
      field
        ? `${capitalize(subject)} names '${name}'; expected a field with a value.`
        : unknownName(`${capitalize(subject)} names the unknown field '${name}'`, name, names),
    )
  }
  if (isNotNull(declared)) return Object.freeze({ field, values: [null], isNegated: true })
  const values: readonly unknown[] = [declared].flat()
  if (values.length === 0 || !values.every((value) => isValueOf(field, value)))
    throw new RegistrationError(
      `${capitalize(subject)} compares '${name}' with ${JSON.stringify(declared) ?? String(declared)}; expected ${expectedValues(field.type)}, an array of such values, or { not: null }.`,
    )
  return Object.freeze({ field, values, isNegated: false })
}

function isNotNull(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'not' in value &&
    value.not === null &&
    Object.keys(value).length === 1
  )
}

function exceptionOf(subject: string, { fields }: ModelDescription, name: string): string {
  const names = fields.filter(({ kind }) => kind !== 'inverse' && kind !== 'hash')
  if (names.some((field) => field.name === name)) return name
  throw new RegistrationError(
    unknownName(
      `'except' in ${subject} names '${name}', which items do not store`,
      name,
      names.map((field) => field.name),
    ),
  )
}
