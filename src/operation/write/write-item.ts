import { type ApiError, createApiError, refuse } from '../../error/api-error.ts'
import { truncate } from '../../error/truncate.ts'
import { findDeepestExisting, formatPointer } from '../../http/json/json-pointer.ts'
import type { InverseField, ModelDescription } from '../../model/model-description.ts'
import { capitalize, toWordsWithArticle } from '../../model/naming.ts'
import { andAlso, fieldPathsIn, idEquals } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { StoreTransaction } from '../../store/store.ts'
import { createStoredItem, hasSameContent } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { OperationInput } from '../operation-input.ts'

/** @throws ApiError `already-exists` or `value-taken` */
export async function insertItem(
  transaction: StoreTransaction,
  model: ModelDescription,
  values: StoredValues,
  payload: ItemPayload,
): Promise<StoredItem> {
  const item = createStoredItem(model, values, 1)
  const outcome = await transaction.insert(model, item)
  if (outcome.kind === 'exists') throw alreadyExists(model, payload)
  if (outcome.kind === 'taken') throw valueTaken(model, outcome.field, payload)
  return item
}

/**
 * Writes the values, unless they equal the stored ones: the version stays then.
 * @param isNewVersion whether the item gets a new version in any case
 */
export async function changeItem(
  transaction: StoreTransaction,
  model: ModelDescription,
  storedItem: StoredItem,
  values: StoredValues,
  payload?: ItemPayload,
  isNewVersion = false,
): Promise<StoredItem> {
  const item = createStoredItem(model, values, storedItem.revision + 1)
  if (!isNewVersion && hasSameContent(item, storedItem)) return storedItem
  const outcome = await transaction.replace(model, item)
  if (outcome.kind === 'taken') throw valueTaken(model, outcome.field, payload)
  return item
}

/**
 * Writes the values for a client: query hooks check the written item.
 * @throws ApiError `forbidden`
 */
export async function changeGuardedItem(
  transaction: StoreTransaction,
  input: Pick<OperationInput, 'guards' | 'context'>,
  model: ModelDescription,
  storedItem: StoredItem,
  values: StoredValues,
  payload?: ItemPayload,
): Promise<StoredItem> {
  const item = await changeItem(transaction, model, storedItem, values, payload)
  if (item !== storedItem)
    await checkOutcome(
      transaction,
      input.guards.outcomeCondition(model, input.context, item.id),
      model,
      item,
    )
  return item
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

/** Every written item must satisfy the query hooks of `create`; otherwise the write is undone. */
export async function checkOutcome(
  transaction: StoreTransaction,
  condition: Condition,
  model: ModelDescription,
  { id }: Pick<StoredItem, 'id'>,
): Promise<void> {
  if (condition.kind === 'always') return
  if (await transaction.find(model, andAlso(condition, idEquals(id)))) return
  throw refuse('forbidden', `You are not allowed to store this ${model.name}.`)
}

export function alreadyExists(model: ModelDescription, { id }: ItemPayload): ApiError {
  const source = id && { pointer: formatPointer(id.steps) }
  return createApiError(
    'already-exists',
    `${capitalize(toWordsWithArticle(model.name))} with ${id ? `the id '${truncate(id.value, 128)}'` : 'this id'} already exists. Choose another id, or update the existing one.`,
    source,
  )
}

function valueTaken(
  model: ModelDescription,
  name: string,
  payload: ItemPayload | undefined,
): ApiError {
  const field = model.fieldsByName.get(name)!
  const steps = payload?.values.get(name)?.steps ?? payload?.steps
  const source = payload && steps && { pointer: findDeepestExisting(payload.document, steps) }
  return createApiError(
    'value-taken',
    `'${field.wireName}' must be unique; another ${model.name} already has this value.`,
    source,
  )
}
