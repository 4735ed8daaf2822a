import {
  fieldsOfRange,
  type ModelDescription,
  type UniqueRange,
  type ValueField,
} from '../model/model-description.ts'
import { idEquals } from '../query/conditions.ts'
import type { CompareOperator, Condition, Scalar } from '../query/query-plan.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import { comparableValue } from './evaluation/comparable-value.ts'
import type { Store } from './store.ts'
import type {
  InsertOptions,
  StoreTransaction,
  WriteOptions,
  WriteOutcome,
} from './store-transaction.ts'
import { TransactionWrapper, wrapStore } from './wrap-store.ts'

type KeepsRange = (model: ModelDescription, range: UniqueRange) => boolean

/**
 * Wraps a store so that it refuses items whose ranges overlap, where the store does not.
 *
 * @param hasRanges has any model of the store a range? Asked for each write
 */
export function withUniqueRanges(store: Store, hasRanges: () => boolean): Store {
  const isKept: KeepsRange = (model, range) => store.facts?.keepsRange?.(model, range) === true
  return wrapStore(store, {
    write: (work, call) =>
      hasRanges()
        ? store.write((transaction) => work(new RangeTransaction(transaction, isKept)), call)
        : store.write(work, call),
  })
}

class RangeTransaction extends TransactionWrapper {
  readonly #isKept: KeepsRange

  constructor(inner: StoreTransaction, isKept: KeepsRange) {
    super(inner)
    this.#isKept = isKept
  }

  override async insert(
    model: ModelDescription,
    item: StoredItem,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    const taken = await this.#overlap(model, item, () => undefined)
    if (!taken) return this.inner.insert(model, item, options)
    // Where the id is taken too, it comes first.
    return (await this.inner.find(model, idEquals(item.id))) ? { kind: 'exists' } : taken
  }

  override async replace(
    model: ModelDescription,
    item: StoredItem,
    options?: WriteOptions,
  ): Promise<WriteOutcome> {
    const taken = await this.#overlap(model, item, async () =>
      this.inner.find(model, idEquals(item.id)),
    )
    return taken ?? this.inner.replace(model, item, options)
  }

  async #overlap(
    model: ModelDescription,
    item: StoredItem,
    findBefore: () => Promise<StoredItem | undefined> | undefined,
  ): Promise<Extract<WriteOutcome, { kind: 'taken' }> | undefined> {
    const ranges = model.uniqueRanges.filter((range) => !this.#isKept(model, range))
    if (ranges.length === 0) return undefined
    const values = readStoredValues(model, item)
    const itemBefore = await findBefore()
    const before = itemBefore && readStoredValues(model, itemBefore)
    for (const range of ranges) {
      // What overlaps already may change in other fields.
      if (before && hasSameRange(range, before, values)) continue
      const condition = overlapCondition(range, values)
      if (!condition) continue
      await this.inner.locks?.lockItems(model, condition)
      if ((await this.inner.count(model, condition)) > 0)
        return { kind: 'taken', fields: fieldsOfRange(range).map(({ name }) => name) }
    }
    return undefined
  }
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
