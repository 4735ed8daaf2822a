import type { FieldDescription, ModelDescription } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { isRelation } from '../relation-kinds.ts'
import { isScalar, type ValueType } from '../value-type.ts'
import { checkDeclaredPath, typeOfMember } from './check-declared-path.ts'
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
    checkDeclaredPath(model, 'aggregate', name, refusals)
  }
  return seen
}

const refusals = { ofId: undefined, of: refusalOf }

/** Why clients cannot group by it; undefined if they can. */
function refusalOf(field: FieldDescription, members: readonly string[]): string | undefined {
  if (isRelation(field)) return undefined
  if (field.kind !== 'value')
    return `is a ${field.kind === 'hash' ? 'hash' : 'file field'}, by which nothing is grouped`
  if (field.visibility === 'hidden' || field.visibility === 'writeOnly')
    return 'is a field that clients cannot read, so they cannot add it up'
  if (!field.isFilterable)
    return "is a field that clients cannot filter by, so they cannot group by it. Remove its option 'filter'"
  const type = typeOfMember(field.type, members)
  if ('missing' in type) return `leads to no member: '${type.missing}' is not declared`
  return isGroupable(type)
    ? undefined
    : 'has no single type; expected a text, a number, a boolean, an array of these, or an object'
}

function isGroupable(type: ValueType): boolean {
  return isScalar(type) || type.kind === 'struct' || (type.kind === 'array' && isScalar(type.items))
}
