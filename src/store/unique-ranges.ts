import {
  fieldsOfRange,
  type ModelDescription,
  type UniqueRange,
  type ValueField,
} from '../model/model-description.ts'
import { idEquals } from '../query/conditions.ts'
import type { CompareOperator, Condition, Scalar } from '../query/query-plan.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredValues } from '../stored-item/stored-item.ts'
import { comparableValue } from './evaluation/comparable-value.ts'
import type { Store } from './store.ts'
import type { StoreTransaction } from './store-transaction.ts'
import type { ItemChange, RefusedWrite, WriteObserver } from './write-observer.ts'

/** Refuses items whose ranges overlap, where the store does not. */
export class UniqueRanges implements WriteObserver {
  readonly watched: ReadonlySet<ModelDescription>
  readonly #store: Store

  /** @param models those that have a range */
  constructor(store: Store, models: readonly ModelDescription[]) {
    this.#store = store
    this.watched = new Set(models)
  }

  beforeWrite(
    transaction: StoreTransaction,
    change: ItemChange,
  ): Promise<RefusedWrite | undefined> | undefined {
    const { model, after } = change
    const ranges = model.uniqueRanges.filter((range) => !this.#isKept(model, range))
    return ranges.length === 0 || !after ? undefined : refuseOverlap(transaction, change, ranges)
  }

  #isKept(model: ModelDescription, range: UniqueRange): boolean {
    return this.#store.facts?.keepsRange?.(model, range) === true
  }
}

async function refuseOverlap(
  transaction: StoreTransaction,
  { kind, model, id, before: itemBefore, after }: ItemChange,
  ranges: readonly UniqueRange[],
): Promise<RefusedWrite | undefined> {
  const values = readStoredValues(model, after!)
  const before = itemBefore && readStoredValues(model, itemBefore)
  for (const range of ranges) {
    // What overlaps already may change in other fields.
    if (before && hasSameRange(range, before, values)) continue
    const condition = overlapCondition(range, values)
    if (!condition) continue
    await transaction.locks?.lockItems(model, condition)
    if ((await transaction.count(model, condition)) === 0) continue
    // Where the id is taken too, it comes first.
    if (kind === 'create' && (await transaction.find(model, idEquals(id))))
      return { kind: 'exists' }
    return { kind: 'taken', fields: fieldsOfRange(range).map(({ name }) => name) }
  }
  return undefined
}

/** Names a range: each router has descriptions of its own. */
export function rangeKey(range: UniqueRange): string {
  const where = range.where.map(({ field, value }) => [field.name, value])
  return JSON.stringify([fieldsOfRange(range).map(({ name }) => name), where])
}

function hasSameRange(range: UniqueRange, before: StoredValues, after: StoredValues): boolean {
  const fields = [...fieldsOfRange(range), ...range.where.map(({ field }) => field)]
  return fields.every((field) => comparableValue(field, before) === comparableValue(field, after))
}

/** The other items whose range overlaps that of the item; undefined if none can. */
function overlapCondition(
  { fields, from, to, where }: UniqueRange,
  values: StoredValues,
): Condition | undefined {
  const isConcerned = where.every(({ field, value }) => comparableValue(field, values) === value)
  const [start, end] = [from, to].map((field) => storedScalar(field, values))
  if (!isConcerned || (start === null && end === null)) return undefined
  // The last field of a set says most: the first one may be added by a router.
  const equal = fields.toReversed().map((field) => ({ field, value: storedScalar(field, values) }))
  if (equal.some(({ value }) => value === null)) return undefined
  return {
    kind: 'and',
    conditions: [
      ...[...equal, ...where].map(({ field, value }) => compare(field, 'equal', value)),
      { kind: 'not', condition: idEquals(values.id) },
      // Null is less than any value, so an item without a beginning satisfies it.
      ...(end === null ? [] : [compare(from, 'lessThan', end!)]),
      ...(start === null
        ? []
        : [either(compare(to, 'equal', null), compare(to, 'greaterThan', start!))]),
      either(compare(from, 'notEqual', null), compare(to, 'notEqual', null)),
    ],
  }
}

function storedScalar({ name }: UniqueRange['fields'][number], values: StoredValues): Scalar {
  return Object.hasOwn(values, name) ? ((values[name] as Scalar | undefined) ?? null) : null
}

function compare(
  { name }: ValueField | UniqueRange['fields'][number],
  operator: CompareOperator,
  value: Scalar,
): Condition {
  return { kind: 'compare', path: { names: [name] }, operator, value }
}

function either(...conditions: readonly Condition[]): Condition {
  return { kind: 'or', conditions }
}
