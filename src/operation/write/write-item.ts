import { type ApiError, createApiError, refuse } from '../../error/api-error.ts'
import { truncate } from '../../error/truncate.ts'
import { findDeepestExisting, formatPointer } from '../../http/json/json-pointer.ts'
import type { InverseField, ModelDescription } from '../../model/model-description.ts'
import { andAlso, fieldPathsIn, idEquals } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { StoreTransaction } from '../../store/store.ts'
import { createStoredItem, hasSameContent } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { OperationInput } from '../operation-input.ts'

/**
 * Adds the item.
 * @throws ApiError `already-exists` or `value-taken`
 */
export async function insertItem(
  transaction: StoreTransaction,
  model: ModelDescription,
  values: StoredValues,
  sent: ItemPayload,
): Promise<StoredItem> {
  const item = createStoredItem(model, values, 1)
  const outcome = await transaction.insert(model, item)
  if (outcome.kind === 'exists') throw alreadyExists(model, sent)
  if (outcome.kind === 'taken') throw valueTaken(model, outcome.field, sent)
  return item
}

/**
 * Writes the values over the item, unless they are what it holds already: its version then stays.
 * @param isNewVersion shall it have a new version in any case?
 */
export async function changeItem(
  transaction: StoreTransaction,
  model: ModelDescription,
  before: StoredItem,
  values: StoredValues,
  sent?: ItemPayload,
  isNewVersion = false,
): Promise<StoredItem> {
  const item = createStoredItem(model, values, before.revision + 1)
  if (!isNewVersion && hasSameContent(item, before)) return before
  const outcome = await transaction.replace(model, item)
  if (outcome.kind === 'taken') throw valueTaken(model, outcome.field, sent)
  return item
}

/**
 * The same for a client: the item is held to what query hooks demand of it once it is written.
 * @throws ApiError `forbidden`
 */
export async function changeGuardedItem(
  transaction: StoreTransaction,
  job: Pick<OperationInput, 'guards' | 'context'>,
  model: ModelDescription,
  before: StoredItem,
  values: StoredValues,
  sent?: ItemPayload,
): Promise<StoredItem> {
  const item = await changeItem(transaction, model, before, values, sent)
  if (item !== before)
    await checkOutcome(
      transaction,
      job.guards.outcomeCondition(model, job.context, item.id),
      model,
      item,
    )
  return item
}

/**
 * The same for an item whose inverse relations hold something else now: what hooks demand of these
 * is asked for once they are written too, whether or not the item itself was.
 * @throws ApiError `forbidden`
 */
export async function checkOutcomeWithInverses(
  changed: readonly InverseField[],
  isWritten: boolean,
  transaction: StoreTransaction,
  condition: Condition,
  model: ModelDescription,
  item: Pick<StoredItem, 'id'>,
): Promise<void> {
  const names = new Set(changed.map(({ name }) => name))
  if (isWritten || fieldPathsIn(condition).some((path) => names.has(path.names[0]!)))
    await checkOutcome(transaction, condition, model, item)
}

/**
 * What hooks narrow the query of `create` to, every written item has to satisfy; else the write is
 * undone.
 */
export async function checkOutcome(
  transaction: StoreTransaction,
  condition: Condition,
  model: ModelDescription,
  { id }: Pick<StoredItem, 'id'>,
): Promise<void> {
  if (condition.kind === 'always') return
  if (await transaction.find(model, andAlso(condition, idEquals(id)))) return
  throw refuse('forbidden', `No such ${model.name} may be written here.`)
}

export function alreadyExists(model: ModelDescription, { id }: ItemPayload): ApiError {
  const source = id && { pointer: formatPointer(id.steps) }
  return createApiError(
    'already-exists',
    `The ${model.name} with ${id ? `the id '${truncate(id.value, 128)}'` : 'this id'} exists already; choose another id, or change that one.`,
    source,
  )
}

function valueTaken(
  model: ModelDescription,
  name: string,
  sent: ItemPayload | undefined,
): ApiError {
  const field = model.fieldsByName.get(name)!
  const steps = sent?.values.get(name)?.steps ?? sent?.steps
  const source = sent && steps && { pointer: findDeepestExisting(sent.document, steps) }
  return createApiError(
    'value-taken',
    `Another ${model.name} has this '${field.wireName}' already; it must be unique.`,
    source,
  )
}
