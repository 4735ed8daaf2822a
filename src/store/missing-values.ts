import {
  isDerivedField,
  type ModelDescription,
  type ToOneField,
  type ValueField,
} from '../model/model-description.ts'
import { isRequiredRelation } from '../model/relation-kinds.ts'
import { defaultValueOf } from '../stored-item/default-value.ts'
import { countHaving } from '../text/message-text.ts'

/** A member that every item must have, and that no default fills in. */
export type RequiredMember = ValueField | ToOneField

/** How many ids a message names. */
export const maxNamedIds = 5

/** Items, and the first of their ids. */
export interface CountedItems {
  readonly count: number
  readonly ids: readonly string[]
}

/** The members of a model that stored items may not lack. */
export async function requiredMembers(model: ModelDescription): Promise<readonly RequiredMember[]> {
  const members: RequiredMember[] = []
  // What is derived is filled in.
  for (const field of model.valueFields)
    if (
      field.isRequiredInResponse &&
      !isDerivedField(field) &&
      (await defaultValueOf(field.schema)) === undefined
    )
      members.push(field)
  for (const field of model.ownedRelations)
    if (field.kind === 'toOne' && isRequiredRelation(field)) members.push(field)
  return members
}

/** Why a start refuses items without a value. */
export function missingValuesFault(
  { name }: ModelDescription,
  member: RequiredMember,
  { count, ids }: CountedItems,
): string {
  const items = `${countHaving(count, 'item')} none: ${namedIds({ count, ids })}`
  return member.kind === 'toOne'
    ? `The relation '${member.name}' of the model '${name}' is required, but ${items}. Make it optional, or allow these items with { missing: 'allow' }.`
    : `The field '${member.name}' of the model '${name}' requires a value, but ${items}. Give it a default, make it optional, fill it in with { backfill: (old) => … }, or allow these items with { missing: 'allow' }.`
}

/** The ids, and whether there are more. */
export function namedIds({ count, ids }: CountedItems): string {
  return `${ids.join(', ')}${count > ids.length ? ', …' : ''}`
}
