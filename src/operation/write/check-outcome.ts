import { refusalsOf } from '../../error/refusals.ts'
import type { InverseField, ModelDescription } from '../../model/model-description.ts'
import { andAlso, fieldPathsIn, idEquals, negate } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { relatedModelAt } from '../../store/resolve-path.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

export const checkOutcomeErrors = ['forbidden'] as const

const { refuse } = refusalsOf(checkOutcomeErrors)

/**
 * Every written item must satisfy the access rules and the query hooks of `create`; otherwise the
 * write is undone. It does not count among its own related items.
 */
export async function checkOutcome(
  transaction: StoreTransaction,
  condition: Condition,
  model: ModelDescription,
  { id }: Pick<StoredItem, 'id'>,
): Promise<void> {
  if (condition.kind === 'always') return
  const outcome = exceptItself(condition, model, id)
  if (await transaction.find(model, andAlso(outcome, idEquals(id)))) return
  throw refuse('forbidden', `You are not allowed to store this ${model.name}.`)
}

/**
 * Checks an item whose inverse relations changed. Conditions over these relations are checked even
 * if the item itself was not written.
 * @throws ApiError `forbidden`
 */
export async function checkOutcomeWithInverses(
  changedRelations: readonly InverseField[],
  isWritten: boolean,
  transaction: StoreTransaction,
  condition: Condition,
  model: ModelDescription,
  item: Pick<StoredItem, 'id'>,
): Promise<void> {
  const names = new Set(changedRelations.map(({ name }) => name))
  if (isWritten || fieldPathsIn(condition).some((path) => names.has(path.names[0]!)))
    await checkOutcome(transaction, condition, model, item)
}

/**
 * The condition without the written item among the related items that it looks at. Else whoever
 * writes a membership in a team would be let in by this very membership.
 */
function exceptItself(condition: Condition, model: ModelDescription, id: string): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return {
        ...condition,
        conditions: condition.conditions.map((operand) => exceptItself(operand, model, id)),
      }
    case 'not':
      return { kind: 'not', condition: exceptItself(condition.condition, model, id) }
    case 'some':
      return relatedModelAt(model, condition.path) === model
        ? { ...condition, condition: andAlso(condition.condition, negate(idEquals(id))) }
        : condition
    default:
      return condition
  }
}
