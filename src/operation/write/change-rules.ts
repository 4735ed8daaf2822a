import type { AccessDecision } from '../../access/access-decision.ts'
import type { HeldBefore } from '../../access/evaluate-access.ts'
import { outcomeOf } from '../../access/field-guards.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { allOf, always } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { heldByNothing, satisfyingIds } from '../../store/satisfying-ids.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { OperationInput } from '../operation-input.ts'

/**
 * What a changed item must satisfy for the rules to hold, by what it is now. Called before the
 * change.
 * @param stored undefined for a new item: all its members were without a value
 */
export async function changeOutcome(
  reader: StoreReader,
  { context }: Pick<OperationInput, 'context'>,
  model: ModelDescription,
  stored: StoredItem | undefined,
  decisions: readonly AccessDecision[],
): Promise<Condition> {
  if (decisions.length === 0) return always
  const outcomes = (heldBefore: HeldBefore) =>
    allOf(decisions.map((decision) => outcomeOf(decision, model, context, heldBefore)))
  if (!stored) return outcomes((condition) => heldByNothing(model, condition))
  const held = new Map<string, boolean>()
  const asked = new Map<string, Condition>()
  const outcome = outcomes((condition) => {
    asked.set(JSON.stringify(condition), condition)
    return true
  })
  if (asked.size === 0) return outcome
  for (const [key, condition] of asked)
    held.set(key, (await satisfyingIds(reader, model, [stored], condition)).has(stored.id))
  return outcomes((condition) => held.get(JSON.stringify(condition))!)
}

/**
 * What the item must satisfy after a change of its fields, by the rules that compare it with what
 * it was, and those of the fields. Called before the change.
 */
export async function changeRulesOutcome(
  reader: StoreReader,
  input: Pick<OperationInput, 'context' | 'guards'>,
  model: ModelDescription,
  stored: StoredItem,
  changedFields: readonly string[],
): Promise<Condition> {
  const { guards, context } = input
  const decisions = [
    guards.changeDecision(model, context, stored.id),
    ...changedFields.map((name) => guards.fields.writeDecision(model, name)),
  ].filter((decision) => decision !== undefined)
  return changeOutcome(reader, input, model, stored, decisions)
}
