import { toFieldPath } from '../../query/conditions.ts'
import type { SearchedField } from '../../query/query-plan.ts'
import type { FieldDescription, ModelDescription } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { isRelation } from '../relation-kinds.ts'
import { isDecimal } from '../value-type.ts'
import { checkDeclaredPath, typeOfMember } from './check-declared-path.ts'
import { isListOfNames } from './describe-indexes.ts'

const maxWeight = 100

/**
 * The texts that clients search, after the relations of all models are linked: the most important
 * ones first, so that the first in which a word occurs says how much it counts.
 * @throws RegistrationError
 */
export function describeSearched(model: ModelDescription): readonly SearchedField[] {
  const declared: unknown = model.model.options.search ?? []
  const fields = isListOfNames(declared)
    ? declared.map((name): [string, unknown] => [name, 1])
    : typeof declared === 'object' && declared !== null && !Array.isArray(declared)
      ? Object.entries(declared as Readonly<Record<string, unknown>>)
      : undefined
  if (!fields)
    throw new RegistrationError(
      `The option 'search' of the model '${model.name}' must be an array of names, such as ['title', 'author.name'], or an object with the weight of each, such as { title: 3, 'author.name': 1 }.`,
    )
  if (fields.length > 0 && model.fieldsByWireName.has('relevance'))
    throw new RegistrationError(
      `The model '${model.name}' has a field 'relevance', by which lists with 'search' are sorted otherwise. Rename it, or remove the option 'search'.`,
    )
  const seen = new Set<string>()
  const searched = fields.map(([name, weight]): SearchedField => {
    if (seen.has(name))
      throw new RegistrationError(
        `The option 'search' of the model '${model.name}' names '${name}' twice. Name it once.`,
      )
    seen.add(name)
    checkDeclaredPath(model, 'search', name, refusals)
    if (!isWeight(weight))
      throw new RegistrationError(
        `The weight of '${name}' in the option 'search' of the model '${model.name}' must be a whole number from 1 to ${maxWeight}.`,
      )
    return Object.freeze({ path: toFieldPath(name), weight })
  })
  return Object.freeze(searched.sort((one, other) => other.weight - one.weight))
}

function isWeight(weight: unknown): weight is number {
  return Number.isInteger(weight) && Number(weight) >= 1 && Number(weight) <= maxWeight
}

const refusals = { ofId: 'is an id, by which clients filter', of: refusalOf }

/** Why clients cannot search it; undefined if they can. */
function refusalOf(field: FieldDescription, members: readonly string[]): string | undefined {
  if (isRelation(field))
    return `is a relation; expected a text of its items, such as '${field.name}.name'`
  if (field.kind !== 'value')
    return `is a ${field.kind === 'hash' ? 'hash' : 'file field'}, which nothing is searched in`
  if (field.visibility === 'hidden' || field.visibility === 'writeOnly')
    return 'is a field that clients cannot read, so they cannot search it'
  if (!field.isFilterable)
    return "is a field that clients cannot filter by, so they cannot search it. Remove its option 'filter'"
  const type = typeOfMember(field.type, members)
  if ('missing' in type) return `leads to no member: '${type.missing}' is not declared`
  return type.kind === 'text' && !isDecimal(type) ? undefined : 'is not a text'
}
