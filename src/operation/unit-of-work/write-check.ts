import { ApiError } from '../../error/api-error.ts'
import type { ExpectedCount, ItemCount, StoreTransaction } from '../../store/store-transaction.ts'

/** What must be so for a write, and how it is refused otherwise. */
export interface WriteCheck {
  readonly counts: readonly ExpectedCount[]
  /**
   * Called if a count of the check, or as the store says, any count of the write, is lower. Looks
   * again: it throws the refusal, or returns if the items are there by now.
   */
  refuse(): Promise<unknown>
}

/** Each counts up to `maxIdsPerQuery` ids, which should not block the event loop for long. */
const maxCountsPerQuery = 4

/** Counts in a transaction. */
interface Counter {
  countEach(counts: readonly ItemCount[]): Promise<readonly number[]>
}

/** Counts what the checks rely on. */
export async function verifyChecks(checks: readonly WriteCheck[], counter: Counter): Promise<void> {
  for (const check of checks) await verifyCheck(check, counter)
}

/**
 * The same after the work has failed: what it would have been refused with first goes before the
 * error.
 */
export async function verifyAfterError(
  checks: readonly WriteCheck[],
  counter: Counter,
): Promise<void> {
  try {
    await verifyChecks(checks, counter)
  } catch (error) {
    // Nothing can be read any more where the error has ended the transaction.
    if (error instanceof ApiError) throw error
  }
}

export async function verifyCheck({ counts, refuse }: WriteCheck, counter: Counter): Promise<void> {
  for (let start = 0; start < counts.length; start += maxCountsPerQuery) {
    const batch = counts.slice(start, start + maxCountsPerQuery)
    const results = await counter.countEach(batch)
    for (let index = 0; index < batch.length; index++)
      if (results[index]! < batch[index]!.atLeast) return void (await refuse())
  }
}

/** Counts with one call where the store can. */
export function countEachIn(
  transaction: StoreTransaction,
  counts: readonly ItemCount[],
): Promise<readonly number[]> {
  return transaction.fastPaths?.countEach?.(counts) ?? countInTurn(transaction, counts)
}

async function countInTurn(
  transaction: StoreTransaction,
  counts: readonly ItemCount[],
): Promise<readonly number[]> {
  const results: number[] = []
  for (const { model, condition } of counts) results.push(await transaction.count(model, condition))
  return results
}
