import type { ModelDescription } from '../model/model-description.ts'
import type { Store, StoreTransaction, WriteOutcome } from '../store/store.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { nameOf } from './item-source.ts'
import { explained, type MissingTarget } from './missing-target.ts'

export interface ItemWrite {
  readonly kind: 'insert' | 'replace'
  readonly model: ModelDescription
  readonly item: StoredItem
}

/**
 * Writes items in one transaction.
 * @param work may run again
 * @throws Error that names the item which the store does not write
 */
export async function writeTransaction(
  store: Store,
  work: (
    write: (write: ItemWrite) => Promise<void>,
    transaction: StoreTransaction,
  ) => Promise<void>,
): Promise<void> {
  let writes: ItemWrite[] = []
  try {
    await store.write((transaction) => {
      writes = []
      const writeOne = async (write: ItemWrite) => {
        writes.push(write)
        const { kind, model, item } = write
        const outcome = await transaction[kind](model, item)
        if (outcome.kind !== 'written')
          throw cannotWrite({ model, item, reason: reasonOf(outcome) })
      }
      return work(writeOne, transaction)
    })
  } catch (error) {
    throw await explained(store, writes, error, cannotWrite)
  }
}

function cannotWrite({ model, item, reason }: MissingTarget): Error {
  return new Error(`Cannot write ${nameOf(model, item.id)}: ${reason}.`)
}

/** Why a store did not write an item. */
export function reasonOf(outcome: Exclude<WriteOutcome, { kind: 'written' }>): string {
  switch (outcome.kind) {
    case 'exists':
      return 'another program has added an item with this id'
    case 'taken':
      return `another item of the target has the same '${outcome.field}'`
    case 'missing':
      return `the item that '${outcome.field}' leads to does not exist`
    case 'refused':
      return outcome.fields.length === 0
        ? 'the store cannot hold its values'
        : `the store cannot hold its ${outcome.fields.map((name) => `'${name}'`).join(', ')}`
  }
}
