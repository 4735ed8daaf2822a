import {
  explainWriteError,
  type ItemToWrite,
  reasonOf,
  type Store,
  type StoreTransaction,
  type UnwrittenItem,
} from '../../store/public.ts'
import { nameOf } from './item-source.ts'

export interface ItemWrite extends ItemToWrite {
  readonly kind: 'insert' | 'replace'
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
    throw await explainWriteError(store, writes, error, cannotWrite)
  }
}

function cannotWrite({ model, item, reason }: UnwrittenItem): Error {
  return new Error(`Cannot write ${nameOf(model, item.id)}: ${reason}.`)
}
