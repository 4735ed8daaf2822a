import { isRollup } from '../../model/made-of-rollup.ts'
import {
  isDerivedField,
  type ModelDescription,
  type RollupField,
  type ValueField,
} from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import { decimalToText, toDecimalNumber } from '../../query/decimal-number.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { itemKey } from '../../stored-item/item-key.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { internalModel } from '../internal-model.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import type { RollupTotal } from './rollup-total.ts'

/**
 * The internal model of sums whose fields do not say them exactly: an average is a quotient, and a
 * sum of numbers is the nearest double. One item for each item that has such fields.
 */
export const rollupModel: ModelDescription = internalModel('rollup', 'rollups', {
  totals: 'string',
})

/** The sums of one item, by the names of the fields. */
export type KeptSums = Readonly<Record<string, SumTotal>>

type SumTotal = Extract<RollupTotal, { kind: 'sum' }>

/** Are the sums of the field kept beside the item? */
export function isSumKept({ computed }: RollupField): boolean {
  return computed.function === 'avg' || (computed.function === 'sum' && isDouble(computed))
}

/** The sums of an item as they are stored. */
export class RollupRow {
  readonly #transaction: StoreTransaction
  readonly #id: string
  readonly #stored: StoredItem | undefined

  private constructor(transaction: StoreTransaction, id: string, stored: StoredItem | undefined) {
    this.#transaction = transaction
    this.#id = id
    this.#stored = stored
  }

  static async read(
    transaction: StoreTransaction,
    model: ModelDescription,
    id: string,
  ): Promise<RollupRow> {
    const key = itemKey(model, id)
    return new RollupRow(transaction, key, await transaction.find(rollupModel, idEquals(key)))
  }

  /** Undefined for a field without a sum that belongs to its present declaration. */
  sumOf(field: RollupField): SumTotal | undefined {
    const entry = this.#entries()[field.name]
    if (!entry || entry[0] !== declarationOf(field)) return undefined
    const sum = toDecimalNumber(entry[1])
    return sum && { kind: 'sum', sum, count: entry[2] }
  }

  async write(fields: readonly RollupField[], sums: KeptSums): Promise<void> {
    const entries: Record<string, Entry> = {}
    for (const field of fields) {
      const total = sums[field.name]
      if (total) entries[field.name] = [declarationOf(field), decimalToText(total.sum), total.count]
    }
    const totals = JSON.stringify(entries)
    const revision = (this.#stored?.revision ?? 0) + 1
    const item = createStoredItem(rollupModel, { id: this.#id, totals }, revision)
    const outcome = this.#stored
      ? await this.#transaction.replace(rollupModel, item)
      : await this.#transaction.insert(rollupModel, item)
    if (outcome.kind !== 'written')
      throw new Error(`The sums of '${this.#id}' were not written: ${outcome.kind}.`)
  }

  #entries(): Readonly<Record<string, Entry>> {
    if (!this.#stored) return {}
    return JSON.parse(String(readStoredValues(rollupModel, this.#stored)['totals']))
  }
}

/** Removes the sums of an item that is gone. */
export function removeRollupRow(
  transaction: StoreTransaction,
  model: ModelDescription,
  id: string,
): Promise<void> {
  return transaction.remove(rollupModel, itemKey(model, id))
}

/** The declaration that the sum is of, the sum, and how many values it has. */
type Entry = readonly [declaration: string, sum: string, count: number]

/** Another text for a field that is a rollup of something else, or of what is made otherwise. */
export function declarationOf({ computed }: RollupField): string {
  const { relation, source, version } = computed
  const made = source?.computed ? [`(${madeOf(relation.relatedModel, source)})`] : []
  return [computed.function, relation.name, source?.name ?? '', version, ...made].join(' ')
}

function madeOf(model: ModelDescription, field: ValueField): string {
  if (isRollup(field)) return declarationOf(field)
  if (!isDerivedField(field)) return ''
  const { version, from } = field.computed
  const sources = from.map((name) => model.fieldsByName.get(name)!)
  const computed = sources.flatMap((source) =>
    source.kind === 'value' && source.computed ? [madeOf(model, source)] : [],
  )
  return [version, ...computed].join(' ')
}

function isDouble({ source }: RollupField['computed']): boolean {
  return source?.type.kind === 'number'
}
