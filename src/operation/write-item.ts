import { type ApiError, refusal, refuse } from '../error/api-error.ts'
import { shortened } from '../error/shortened.ts'
import { deepestExisting, pointer } from '../http/json-pointer.ts'
import type { InverseField, ModelDescription } from '../model/description.ts'
import { both, hasId, pathsIn } from '../query/conditions.ts'
import type { Condition } from '../query/query-plan.ts'
import type { SentItem } from '../serializer/sent.ts'
import { sameContent, storedItem } from '../store/item-text.ts'
import type { StoreTransaction } from '../store/store.ts'
import type { StoredItem, StoredValues } from '../store/stored-item.ts'
import type { Job } from './job.ts'

/**
 * Adds the item.
 * @throws ApiError `already-exists` or `value-taken`
 */
export async function insertItem(
  transaction: StoreTransaction,
  model: ModelDescription,
  values: StoredValues,
  sent: SentItem,
): Promise<StoredItem> {
  const item = storedItem(model, values, 1)
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
  sent?: SentItem,
  isNewVersion = false,
): Promise<StoredItem> {
  const item = storedItem(model, values, before.revision + 1)
  if (!isNewVersion && sameContent(item, before)) return before
  const outcome = await transaction.replace(model, item)
  if (outcome.kind === 'taken') throw valueTaken(model, outcome.field, sent)
  return item
}

/**
 * The same for a client: the item is held to what query hooks demand of it once it is written.
 * @throws ApiError `forbidden`
 */
export async function changeGuarded(
  transaction: StoreTransaction,
  job: Pick<Job, 'guards' | 'context'>,
  model: ModelDescription,
  before: StoredItem,
  values: StoredValues,
  sent?: SentItem,
): Promise<StoredItem> {
  const item = await changeItem(transaction, model, before, values, sent)
  if (item !== before) await refuseOutcome(transaction, job.guards.outcome(model, job.context, item.id), model, item)
  return item
}

/**
 * The same for an item whose inverse relations hold something else now: what hooks demand of these is asked for once they are written too,
 * whether or not the item itself was.
 * @throws ApiError `forbidden`
 */
export async function refuseOutcomeWith(
  changed: readonly InverseField[],
  isWritten: boolean,
  transaction: StoreTransaction,
  condition: Condition,
  model: ModelDescription,
  item: Pick<StoredItem, 'id'>,
): Promise<void> {
  const names = new Set(changed.map(({ name }) => name))
  if (isWritten || pathsIn(condition).some((path) => names.has(path.names[0]!)))
    await refuseOutcome(transaction, condition, model, item)
}

/** What hooks narrow the query of `create` to, every written item has to satisfy; else the write is undone. */
export async function refuseOutcome(
  transaction: StoreTransaction,
  condition: Condition,
  model: ModelDescription,
  { id }: Pick<StoredItem, 'id'>,
): Promise<void> {
  if (condition.kind === 'always') return
  if (await transaction.find(model, both(condition, hasId(id)))) return
  throw refuse('forbidden', `No such ${model.name} may be written here.`)
}

export function alreadyExists(model: ModelDescription, { id }: SentItem): ApiError {
  const source = id && { pointer: pointer(id.steps) }
  return refusal(
    'already-exists',
    `The ${model.name} with ${id ? `the id '${shortened(id.value, 128)}'` : 'this id'} exists already; choose another id, or change that one.`,
    source,
  )
}

function valueTaken(model: ModelDescription, name: string, sent: SentItem | undefined): ApiError {
  const field = model.byName.get(name)!
  const steps = sent?.values.get(name)?.steps ?? sent?.steps
  const source = sent && steps && { pointer: deepestExisting(sent.document, steps) }
  return refusal('value-taken', `Another ${model.name} has this '${field.wire}' already; it must be unique.`, source)
}
