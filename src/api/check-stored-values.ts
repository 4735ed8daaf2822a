import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { ModelDescription, ValueField } from '../model/model-description.ts'
import { allItemsPlan } from '../query/query-plan.ts'
import { validate } from '../schema/standard-schema.ts'
import { type CountedItems, maxNamedIds, namedIds } from '../store/missing-values.ts'
import type { Store } from '../store/store.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import { valueFingerprint } from '../stored-item/value-fingerprint.ts'
import { countHaving } from '../text/message-text.ts'

export interface StoredValuesCheckOptions {
  /** Ends the check; the next start begins it again. */
  readonly signal: AbortSignal
  /** Called with a sentence for each field that stored values do not fit. */
  readonly warn: (message: string) => void
  /** How long after the start it begins. Default: 10 s, so that the first requests go first. */
  readonly delayMs?: number
}

const defaultDelayMs = 10_000

/** Requests get the rest of the time. */
const shareOfTime = 0.2

/**
 * Compares stored values with the schemas of models that have changed since the last complete
 * check. For stores that keep notes, after they are open.
 */
export async function checkStoredValues(
  store: Store,
  models: readonly ModelDescription[],
  { signal, warn, delayMs = defaultDelayMs }: StoredValuesCheckOptions,
): Promise<void> {
  await wait(delayMs, undefined, { signal, ref: false })
  if (!store.notes?.areKept()) return
  for (const model of models) {
    const fingerprint = valueFingerprint(model)
    const note = `values of ${model.name}`
    signal.throwIfAborted()
    if ((await store.notes.read(note)) === fingerprint) continue
    const misfits = await findMisfits(store, model, signal)
    for (const [field, items] of misfits) warn(misfitText(model, field, items))
    signal.throwIfAborted()
    await store.notes.write(note, fingerprint)
  }
}

async function findMisfits(
  store: Store,
  model: ModelDescription,
  signal: AbortSignal,
): Promise<ReadonlyMap<ValueField, CountedItems>> {
  const fields = model.valueFields.filter(isCheckable)
  const misfits = new Map<ValueField, CountedItems>()
  if (fields.length === 0) return misfits
  let startedAt = performance.now()
  for await (const batch of store.list(model, allItemsPlan)) {
    for (const item of batch) {
      const values = readStoredValues(model, item)
      for (const field of fields) {
        const value = values[field.name]
        if (value === undefined || fits(field, value)) continue
        const { count, ids } = misfits.get(field) ?? { count: 0, ids: [] }
        misfits.set(field, {
          count: count + 1,
          ids: ids.length < maxNamedIds ? [...ids, item.id] : ids,
        })
      }
    }
    const elapsedMs = performance.now() - startedAt
    await wait(elapsedMs * (1 / shareOfTime - 1), undefined, { signal })
    startedAt = performance.now()
  }
  return misfits
}

/** Only a schema that accepts what it stores can tell. */
function isCheckable({ hasSameInputAndOutput, nestedResources }: ValueField): boolean {
  return hasSameInputAndOutput && !nestedResources
}

/** Asynchronous schemas may ask other services, so nobody waits for them. */
function fits({ schema }: ValueField, value: unknown): boolean {
  const result = validate(schema, value)
  if (!(result instanceof Promise)) return result.kind === 'valid'
  result.catch(() => undefined)
  return true
}

function misfitText(
  { name, plural }: ModelDescription,
  field: ValueField,
  items: CountedItems,
): string {
  return `${countHaving(items.count, 'item')} a value of '${field.name}' that the model '${name}' does not allow: ${namedIds(items)}. Clients get these values as they are stored, and a change of such an item needs a value that fits. Correct them in '${plural}', or change the schema.`
}
