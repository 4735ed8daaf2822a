import type { ItemsOf } from '../model/items/items.ts'
import type { StoreTransaction } from '../store/store-transaction.ts'
import type { BackgroundServices } from './background-services.ts'
import type { Lease } from './lease.ts'
import type { LeasedRow } from './leased-rows.ts'

/** What is written with the row of a lease. */
export type OtherWrites = (transaction: StoreTransaction) => Promise<void>

export const noWrites: OtherWrites = async () => undefined

/** Why a function of the service failed. */
export interface FailedAttempt {
  readonly cause: unknown
}

/** A call of a function of the service, and what is stored once it returns. */
export interface Attempt<Row extends LeasedRow> {
  readonly lease: Lease<Row>
  readonly services: BackgroundServices
  /** Aborted when the router closes, or the lease is lost. */
  readonly signal: AbortSignal
  /** Do `items` of the function take part in the transaction that stores the row? */
  readonly inTransaction: boolean
  run(items: ItemsOf): void | Promise<void>
  /** What changes in the row; called once the function has returned. */
  changes(): Partial<Row>
  readonly others: OtherWrites
}

/**
 * Calls the function once, and stores that it has returned.
 * @returns why it failed; undefined if it is done
 * @throws what the store throws, and the reason of the signal: a function that stopped because of
 * it has not failed
 */
export async function attempt<Row extends LeasedRow>({
  lease,
  services,
  signal,
  inTransaction,
  run,
  changes,
  others,
}: Attempt<Row>): Promise<FailedAttempt | undefined> {
  signal.throwIfAborted()
  let isDone = false
  const runIn = async (items: ItemsOf): Promise<void> => {
    isDone = false
    await run(items)
    isDone = true
  }
  try {
    if (inTransaction)
      await lease.change(changes, (commit) =>
        services.inTransaction(runIn, async (transaction) => {
          await others(transaction)
          await commit(transaction)
        }),
      )
    else await runIn(services.items)
  } catch (cause) {
    // What the store refuses while it commits is no fault of the function.
    if (isDone) throw cause
    signal.throwIfAborted()
    return { cause }
  }
  if (!inTransaction) await storeWith(lease, services, changes(), others)
  return undefined
}

/** Stores what changes in the row of a lease, with other writes. */
export function storeWith<Row extends LeasedRow>(
  lease: Lease<Row>,
  { store }: Pick<BackgroundServices, 'store'>,
  changes: Partial<Row>,
  others: OtherWrites,
): Promise<void> {
  return lease.change(changes, (commit) =>
    store.write(async (transaction) => {
      await others(transaction)
      await commit(transaction)
    }),
  )
}
