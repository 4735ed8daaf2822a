import { unknownName } from '../../error/unknown-name.ts'
import { type FieldDescription, isRelation, type ModelDescription } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { isScalar, type ValueType } from '../value-type.ts'
import { isListOfNames } from './describe-indexes.ts'

/**
 * What clients may add up and group by, after the relations of all models are linked.
 * @throws RegistrationError
 */
export function describeAggregated(model: ModelDescription): ReadonlySet<string> {
  const declared: unknown = model.model.options.aggregate ?? []
  if (!isListOfNames(declared))
    throw new RegistrationError(
      `The option 'aggregate' of the model '${model.name}' must be an array of names, such as ['price', 'author'].`,
    )
  const seen = new Set<string>()
  for (const name of declared) {
    if (seen.has(name))
      throw new RegistrationError(
        `The option 'aggregate' of the model '${model.name}' names '${name}' twice. Name it once.`,
      )
    seen.add(name)
    checkPath(model, name)
  }
  return seen
}

function subjectOf({ name: model }: ModelDescription, name: string): string {
  return `'${name}' in the option 'aggregate' of the model '${model}'`
}

function checkPath(start: ModelDescription, dotted: string): void {
  let model = start
  const names = dotted.split('.')
  for (const [index, name] of names.entries()) {
    const rest = names.slice(index + 1)
    if (name === 'id' && index > 0 && rest.length === 0) return
    const field = model.fieldsByName.get(name)
    if (!field) {
      const statement = `${subjectOf(start, dotted)}: '${model.name}' has no field '${name}'`
      const usable = model.fields.filter((each) => refusalOf(each, []) === undefined)
      throw new RegistrationError(
        unknownName(
          statement,
          name,
          usable.map((each) => each.name),
        ),
      )
    }
    if (isRelation(field) && rest.length > 0) {
      if (field.kind !== 'toOne')
        throw new RegistrationError(
          `${subjectOf(start, dotted)}: '${name}' is not a to-one relation, so no field can follow it.`,
        )
      model = field.relatedModel
      continue
    }
    const refusal = refusalOf(field, rest)
    if (refusal !== undefined)
      throw new RegistrationError(`${subjectOf(start, dotted)} ${refusal}.`)
    return
  }
}

/** Why clients cannot group by it; undefined if they can. */
function refusalOf(field: FieldDescription, members: readonly string[]): string | undefined {
  if (isRelation(field)) return undefined
  if (field.kind !== 'value')
    return `is a ${field.kind === 'hash' ? 'hash' : 'file field'}, by which nothing is grouped`
  if (field.visibility === 'hidden' || field.visibility === 'writeOnly')
    return 'is a field that clients cannot read, so they cannot add it up'
  if (!field.isFilterable)
    return "is a field that clients cannot filter by, so they cannot group by it. Remove its option 'filter'"
  let type: ValueType = field.type
  for (const name of members) {
    const member: ValueType | undefined =
      type.kind === 'struct' ? type.members.get(name)?.type : undefined
    if (!member) return `leads to no member: '${name}' is not declared`
    type = member
  }
  return isGroupable(type)
    ? undefined
    : 'has no single type; expected a text, a number, a boolean, an array of these, or an object'
}

function isGroupable(type: ValueType): boolean {
  return isScalar(type) || type.kind === 'struct' || (type.kind === 'array' && isScalar(type.items))
}
