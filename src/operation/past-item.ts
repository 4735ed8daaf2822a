import type { Condition } from '../query/query-plan.ts'
import { holdsForValues } from '../store/holds-for-values.ts'
import type { StoreReader } from '../store/store-reader.ts'
import { pastItemOf, readPastValues } from '../stored-item/past-values.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import type { OperationInput } from './operation-input.ts'

/** An item that is not stored so, as the caller sees it. */
export interface SeenPastItem {
  /** Without the members that rules keep from the caller. */
  readonly shown: StoredItem
  /** All values. */
  readonly values: StoredValues
  /** The fields that the caller does not see. */
  readonly masked: ReadonlySet<string>
}

/**
 * The former version, or the deleted item, as the rules and hooks of today let the caller see it:
 * those for rows and those for fields hold for its values. Undefined if they hide it.
 * @param condition what an item that the caller sees satisfies
 */
export async function seenPastItem(
  reader: StoreReader,
  { view: { model }, plan, guards, context }: OperationInput,
  item: StoredItem,
  condition: Condition = plan.condition,
): Promise<SeenPastItem | undefined> {
  const values = readPastValues(model, item)
  if (!(await holdsForValues(reader, model, values, condition))) return undefined
  const masked = new Set<string>()
  if (guards.fields.hasMasks(model))
    for (const { name, condition } of guards.fields.masksOf(model, context))
      if (!(await holdsForValues(reader, model, values, condition))) masked.add(name)
  const seen = Object.entries(values).filter(([name]) => !masked.has(name))
  return {
    shown: pastItemOf(model, Object.fromEntries(seen) as StoredValues, item),
    values,
    masked,
  }
}
