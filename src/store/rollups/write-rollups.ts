import type { ModelDescription, RollupField } from '../../model/model-description.ts'
import { toDecimalNumber, zero } from '../../query/decimal-number.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { withDerivableValues } from '../../stored-item/derived-values.ts'
import { type RollupValues, withNewVersion, withRollups } from '../../stored-item/rollup-values.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import { computeRollups, emptyTotals } from './compute-rollups.ts'
import type { PendingRollup } from './pending-rollups.ts'
import { linksOfParent, type RollupLink } from './rollup-links.ts'
import { isSumKept, type KeptSums, RollupRow } from './rollup-table.ts'
import { changedTotal, type RollupTotal, valueOfTotal } from './rollup-total.ts'

type Totals = Readonly<Record<string, RollupTotal>>

/**
 * The item with its rollups as they are after changes of related items. Writes the sums that are
 * kept beside it. The caller has locked the item, and writes it.
 *
 * @param report gets errors of functions that derive values from these rollups
 */
export async function itemWithRollups(
  transaction: StoreTransaction,
  model: ModelDescription,
  item: StoredItem,
  pending: PendingRollup,
  report: (error: Error) => void,
): Promise<StoredItem> {
  const row = hasKeptSums(model) ? await RollupRow.read(transaction, model, item.id) : undefined
  const values = readStoredValues(model, item)
  const totals: Record<string, RollupTotal> = {}
  for (const link of linksOfParent(model))
    Object.assign(
      totals,
      changedTotals(link, values, row, pending) ??
        (await computeRollups(transaction, link, [item.id])).get(item.id),
    )
  await row?.write(model.rollupFields, sumsIn(model, totals))
  const revision = item.revision + 1
  const changed = withRollups(model, item, valuesOf(model, totals), revision, (_, complete) =>
    withDerivableValues(model, complete, report),
  )
  const isNewVersion = pending.kind === 'changed' && pending.isNewVersion
  return isNewVersion && changed === item ? withNewVersion(model, item, revision) : changed
}

/** The rollups of an item to which nothing relates. */
export function emptyRollups(model: ModelDescription): RollupValues {
  return valuesOf(model, Object.assign({}, ...linksOfParent(model).map(emptyTotals)))
}

export function valuesOf({ rollupFields }: ModelDescription, totals: Totals): RollupValues {
  return Object.fromEntries(
    rollupFields.map((field) => [field.name, valueOfTotal(field, totals[field.name]!)]),
  )
}

export function sumsIn({ rollupFields }: ModelDescription, totals: Totals): KeptSums {
  const sums: Record<string, KeptSums[string]> = {}
  for (const field of rollupFields) {
    const total = totals[field.name]
    if (isSumKept(field) && total?.kind === 'sum') sums[field.name] = total
  }
  return sums
}

export function hasKeptSums({ rollupFields }: ModelDescription): boolean {
  return rollupFields.some(isSumKept)
}

/** Undefined if the related items have to be read. */
function changedTotals(
  { fields }: RollupLink,
  values: StoredValues,
  row: RollupRow | undefined,
  pending: PendingRollup,
): Totals | undefined {
  if (pending.kind === 'unknown') return undefined
  const totals: Record<string, RollupTotal> = {}
  for (const field of fields) {
    const total = storedTotal(field, values[field.name] as Scalar | undefined, row)
    const delta = pending.deltas.get(field)
    const changed = total && (delta ? changedTotal(field, total, delta) : total)
    if (!changed) return undefined
    totals[field.name] = changed
  }
  return totals
}

/** Undefined if the value does not say it exactly. */
function storedTotal(
  field: RollupField,
  value: Scalar | undefined,
  row: RollupRow | undefined,
): RollupTotal | undefined {
  if (isSumKept(field)) return row?.sumOf(field)
  switch (field.computed.function) {
    case 'count':
      return typeof value === 'number' ? { kind: 'count', count: value } : undefined
    case 'min':
    case 'max':
      return { kind: 'extreme', value: value ?? null }
    default:
      return exactSum(value)
  }
}

/** Nobody asks how many values a sum has. */
function exactSum(value: Scalar | undefined): RollupTotal | undefined {
  const isExact = typeof value === 'string' || Number.isSafeInteger(value)
  if (!isExact) return undefined
  const sum = toDecimalNumber(value as string | number) ?? zero
  return { kind: 'sum', sum, count: 0 }
}
