import { truncate } from '../error/truncate.ts'
import { findInvalidText } from '../http/json/invalid-text.ts'
import type { AnyModel } from '../model/declare/model.ts'
import { createId, idRules, isValidId } from '../model/id.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { validate } from '../schema/standard-schema.ts'
import type { Store } from '../store/store.ts'
import { createStoredItem, isShown, readStoredValues } from '../stored-item/create-stored-item.ts'
import { isLinkageValue } from '../stored-item/migrate-item.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'

/** An item to be loaded: members by the model's own names, relations as identifiers. */
export type LoadedItem = { readonly id?: string; readonly [member: string]: unknown }

const batchSize = 1_000

/**
 * Validates the items and adds them, so many in one transaction.
 * @throws TypeError naming the item and the member that does not fit; the batches before stay.
 */
export async function loadItems(
  store: Store,
  model: ModelDescription,
  items: Iterable<LoadedItem>,
): Promise<number> {
  let added = 0
  let batch: StoredItem[] = []
  const flush = async () => {
    added += await insertBatch(store, model, batch)
    batch = []
  }
  for (const item of items) {
    batch.push(await toStoredItem(model, item))
    if (batch.length === batchSize) await flush()
  }
  await flush()
  return added
}

function insertBatch(
  store: Store,
  model: ModelDescription,
  batch: readonly StoredItem[],
): Promise<number> {
  return store.write(async (transaction) => {
    let added = 0
    for (const item of batch) {
      const outcome = await transaction.insert(model, item)
      if (outcome.kind === 'taken') throw valueTakenError(model, item, outcome.field)
      if (outcome.kind === 'written') added++
    }
    return added
  })
}

function valueTakenError(model: ModelDescription, item: StoredItem, name: string): TypeError {
  const field = model.fieldsByName.get(name)
  const isTold = field?.kind !== 'value' || isShown(field)
  const value = isTold ? ` '${truncate(String(readStoredValues(model, item)[name]))}'` : ''
  return new TypeError(
    `The ${model.name} '${item.id}' cannot be loaded: another one has its '${name}'${value}.`,
  )
}

async function toStoredItem(
  model: ModelDescription,
  { id = createId(), ...given }: LoadedItem,
): Promise<StoredItem> {
  const misfit = (why: string) =>
    new TypeError(`The ${model.name} '${id}' cannot be loaded: ${why}.`)
  if (typeof id !== 'string' || !isValidId(id)) throw misfit(idRules.slice(0, -1))
  const members: Record<string, unknown> = {}
  for (const field of model.valueFields) {
    const result = await validate(field.schema, given[field.name])
    if (result.kind === 'invalid')
      throw misfit(`'${field.name}': ${result.issues.map((issue) => issue.message).join('; ')}`)
    if (findInvalidText(result.value))
      throw misfit(`'${field.name}' holds half of a surrogate pair or U+0000`)
    members[field.name] = result.value
  }
  for (const { name } of model.resourceFields) {
    if (given[name] !== undefined && given[name] !== null)
      throw misfit(`'${name}' is a binary resource, loaded by loadResource()`)
    members[name] = null
  }
  for (const field of model.ownedRelations) {
    const linkage = given[field.name] ?? (field.kind === 'toOne' ? null : [])
    if (!isLinkageValue(field, linkage))
      throw misfit(
        `'${field.name}' takes ${field.kind === 'toOne' ? 'an identifier, or null' : 'an array of identifiers'}`,
      )
    members[field.name] = linkage
  }
  const stray = Object.keys(given).find((name) => !model.fieldsByName.has(name))
  if (stray) throw misfit(`the model has no member '${stray}'`)
  return createStoredItem(model, { ...members, id }, 1)
}

/** @throws RegistrationError when the model is not prepared on the router. */
export function findPreparedModel(
  models: readonly ModelDescription[],
  model: AnyModel,
): ModelDescription {
  const found = models.find((one) => one.model === model)
  if (found) return found
  throw new RegistrationError(`The model '${model.modelName}' is not prepared on this router.`)
}
