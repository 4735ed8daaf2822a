import { allOf, negate, never } from '../query/conditions.ts'
import type { Condition } from '../query/query-plan.ts'
import type { ModelDescription } from './model-description.ts'

/**
 * The items that nobody can change or delete any more.
 * @param relation one that changes; where the model excepts it, no item is meant
 */
export function immutableItems(
  { immutability }: Pick<ModelDescription, 'immutability'>,
  relation?: string,
): Condition {
  if (!immutability || (relation !== undefined && immutability.exceptions.has(relation)))
    return never
  return allOf(
    immutability.where.map(({ field, values, isNegated }): Condition => {
      const condition: Condition = { kind: 'oneOf', path: { names: [field.name] }, values }
      return isNegated ? negate(condition) : condition
    }),
  )
}

/** Is an item with these values one of them? */
export function isImmutableItem(
  { immutability }: Pick<ModelDescription, 'immutability'>,
  values: Readonly<Record<string, unknown>>,
): boolean {
  return (
    immutability?.where.every(
      ({ field, values: final, isNegated }) =>
        (final as readonly unknown[]).includes(values[field.name] ?? null) !== isNegated,
    ) ?? false
  )
}
