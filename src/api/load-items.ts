import { inspect, isDeepStrictEqual } from 'node:util'
import { keepRequestsYoung } from '../concurrency/keep-requests-young.ts'
import { truncate } from '../error/truncate.ts'
import { unknownName } from '../error/unknown-name.ts'
import { findInvalidText } from '../http/json/invalid-text.ts'
import type { LoadedFieldValues } from '../model/declare/item-values.ts'
import type { AnyModel } from '../model/declare/model.ts'
import { createId, idRules, isValidId } from '../model/id.ts'
import { isRollup } from '../model/made-of-rollup.ts'
import { isDerivedField, type ModelDescription } from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { runUnit, type UnitSettings } from '../operation/unit-of-work/run-unit.ts'
import { reservedDetail } from '../operation/write/item-id.ts'
import { validate } from '../schema/standard-schema.ts'
import { explainWriteError, reasonOf } from '../store/failed-writes.ts'
import type { StoreReader } from '../store/store-reader.ts'
import { toCodeInstance } from '../stored-item/code-instance.ts'
import { toStoredValue } from '../stored-item/code-values.ts'
import { createStoredItem, isShown, readStoredValues } from '../stored-item/create-stored-item.ts'
import { withDerivedValues } from '../stored-item/derived-values.ts'
import { isLinkageValue } from '../stored-item/linkage.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { withMissingTimes } from '../stored-item/timestamps.ts'
import { joinWords } from '../text/message-text.ts'

/**
 * An item to load: members by their names in the model, relations as ids. Any members for a model
 * that is not known.
 */
export type LoadedItem<M extends AnyModel = AnyModel> = string extends keyof M['fields']
  ? { readonly id?: string; readonly [member: string]: unknown }
  : LoadedFieldValues<M['fields']>

/** The transactions in which items are loaded. */
interface LoadingUnit extends UnitSettings {
  readonly store: UnitSettings['store'] & StoreReader
}

const batchSize = 1_000
/** Further faults of an item are left out. */
const maxReasons = 20

/**
 * Validates the items, each as a whole too, and inserts them in batches, one transaction each.
 * @throws TypeError for an invalid item; earlier batches stay
 */
export async function loadItems(
  unit: LoadingUnit,
  { model, reservedIds }: Pick<ModelView, 'model' | 'reservedIds'>,
  items: Iterable<LoadedItem>,
): Promise<number> {
  if (typeof items !== 'object' || items === null || !(Symbol.iterator in items))
    throw new TypeError('load() expects an array of items; for one item, write [item].')
  // The results of a batch are alive together.
  keepRequestsYoung()
  let insertedCount = 0
  let batch: StoredItem[] = []
  const flush = async () => {
    insertedCount += await insertBatch(unit, model, batch)
    batch = []
  }
  for (const item of items) {
    const stored = await toStoredItem(model, item)
    if (reservedIds.has(stored.id))
      throw loadError(model, stored.id, withoutStop(reservedDetail(stored.id)))
    batch.push(stored)
    if (batch.length === batchSize) await flush()
  }
  await flush()
  return insertedCount
}

async function insertBatch(
  unit: LoadingUnit,
  model: ModelDescription,
  batch: readonly StoredItem[],
): Promise<number> {
  try {
    return await runUnit(unit, async (transaction) => {
      let insertedCount = 0
      for (const item of batch) {
        const outcome = await transaction.insert(model, item)
        if (outcome.kind === 'taken') {
          const earlier = batch.slice(0, batch.indexOf(item))
          throw valuesTakenError(model, item, outcome.fields, earlier)
        }
        if (outcome.kind === 'written') insertedCount++
        else if (outcome.kind !== 'exists') throw loadError(model, item.id, reasonOf(outcome))
      }
      return insertedCount
    })
  } catch (error) {
    const written = batch.map((item) => ({ model, item }))
    throw await explainWriteError(unit.store, written, error, ({ item, reason }) =>
      loadError(model, item.id, reason),
    )
  }
}

function loadError({ name }: ModelDescription, id: unknown, reason: string): TypeError {
  return new TypeError(`The ${name} '${id}' cannot be loaded: ${reason}.`)
}

function withoutStop(sentence: string): string {
  return sentence.slice(0, -1)
}

function valuesTakenError(
  model: ModelDescription,
  item: StoredItem,
  names: readonly string[],
  earlier: readonly StoredItem[],
): TypeError {
  const values = readStoredValues(model, item)
  const loaded = earlier.find((other) => {
    const otherValues = readStoredValues(model, other)
    return names.every((name) => isDeepStrictEqual(values[name], otherValues[name]))
  })
  const shared = names.map((name) => {
    const field = model.fieldsByName.get(name)
    const isVisible = field?.kind !== 'value' || isShown(field)
    return isVisible ? `'${name}' '${truncate(String(values[name]))}'` : `'${name}'`
  })
  return new TypeError(
    `The ${model.name} '${item.id}' cannot be loaded: ${loaded ? `the ${model.name} '${loaded.id}', which is loaded with it,` : `another ${model.name}`} has the same ${joinWords(shared)}.`,
  )
}

async function toStoredItem(
  model: ModelDescription,
  { id = createId(), ...values }: LoadedItem,
): Promise<StoredItem> {
  const refuseFor = (reasons: readonly string[]) => {
    if (reasons.length > 0) throw loadError(model, id, reasons.slice(0, maxReasons).join('; '))
  }
  if (typeof id !== 'string' || !isValidId(id)) throw loadError(model, id, withoutStop(idRules))
  const unknown = Object.keys(values).find((name) => !model.fieldsByName.has(name))
  if (unknown !== undefined) throw unknownMemberError(model, id, unknown)
  const { members, reasons } = await readMembers(model, values)
  refuseFor(reasons)
  const complete = withDerivedValues(model, withMissingTimes(model, { ...members, id }))
  const item = createStoredItem(model, complete, 1)
  model.check?.(toCodeInstance(model, readStoredValues(model, item)), (path, message) =>
    reasons.push(`'${String(path)}' ${message}`),
  )
  refuseFor(reasons)
  return item
}

/** The members of an item as they are stored, with what is wrong with them. */
async function readMembers(
  model: ModelDescription,
  values: Readonly<Record<string, unknown>>,
): Promise<{ readonly members: Record<string, unknown>; readonly reasons: string[] }> {
  const reasons: string[] = []
  const members: Record<string, unknown> = {}
  for (const field of model.valueFields) {
    if (isDerivedField(field)) continue
    // Nobody sets a rollup: a new item has that of no related items.
    const value = isRollup(field) ? undefined : toStoredValue(field, values[field.name])
    const result = await validate(field.schema, value)
    if (result.kind === 'invalid')
      reasons.push(`'${field.name}': ${result.issues.map((issue) => issue.message).join('; ')}`)
    else if (findInvalidText(result.value))
      reasons.push(`'${field.name}' contains a lone surrogate or U+0000`)
    else members[field.name] = result.value
  }
  for (const { name } of model.resourceFields) {
    if (values[name] !== undefined && values[name] !== null)
      reasons.push(`'${name}' is a binary resource. Load it with loadResource()`)
    members[name] = null
  }
  for (const field of model.ownedRelations) {
    const linkage = values[field.name] ?? (field.kind === 'toOne' ? null : [])
    if (!isLinkageValue(field, linkage))
      reasons.push(
        `'${field.name}' must be ${field.kind === 'toOne' ? 'an id or null' : 'an array of ids'}`,
      )
    members[field.name] = linkage
  }
  return { members, reasons }
}

function unknownMemberError(model: ModelDescription, id: string, name: string): TypeError {
  const statement = `The ${model.name} '${id}' cannot be loaded: unknown member '${name}'`
  const names = [...model.valueFields, ...model.ownedRelations].map((field) => field.name)
  return new TypeError(unknownName(statement, name, ['id', ...names]))
}

/**
 * @param call the function of the router that was called
 * @throws RegistrationError if it is no model, or not prepared on the router
 */
export function findPreparedModel(
  models: readonly ModelDescription[],
  model: AnyModel,
  call: string,
): ModelDescription {
  const name: unknown = (model as AnyModel | undefined)?.modelName
  if (typeof name !== 'string')
    throw new RegistrationError(
      `${call} expects a model, got ${truncate(inspect(model, { depth: 0 }))}.`,
    )
  const description = models.find((prepared) => prepared.model === model)
  if (description) return description
  throw new RegistrationError(`The model '${model.modelName}' is not prepared on this router.`)
}
