import { Share } from '../../concurrency/share.ts'

/**
 * What a call needs a connection for: a statement that finds few rows, a transaction, or a
 * statement that may read many rows.
 */
export type CallKind = 'quick' | 'transaction' | 'long'

/** How many connections are for what. */
export interface ShareSizes {
  readonly long: number
  /** How many of them one client has, so that the long reads of others go on. */
  readonly longPerClient: number
  readonly transactions: number
  /** How many transactions and long reads one client has, so that those of others go on. */
  readonly slowPerClient: number
  /** How many transactions have time to wait for locks, so that writes of others go on. */
  readonly patientTransactions: number
}

/**
 * Of 10 connections, long reads have 6, of which one client has 4, and transactions 9. One client
 * has 7 of both. The last one is for quick reads, unless there are not more than two.
 */
export function shareSizes(maxConnections: number): ShareSizes {
  const long = Math.max(1, Math.floor(maxConnections * 0.6))
  const quick = maxConnections < 3 ? 0 : Math.max(1, Math.floor(maxConnections / 10))
  const transactions = maxConnections - quick
  return {
    long,
    longPerClient: Math.max(1, Math.min(long - 1, Math.ceil((long * 2) / 3))),
    transactions,
    slowPerClient: Math.max(1, transactions - Math.max(1, Math.floor(transactions / 4))),
    patientTransactions: Math.ceil(transactions / 2),
  }
}

/** The shares of a pool, by what a call needs a connection for. */
export function connectionShares(sizes: ShareSizes): Readonly<Record<CallKind, Share | undefined>> {
  const slow = new Share({ max: sizes.transactions, maxPerClient: sizes.slowPerClient })
  return {
    quick: undefined,
    transaction: new Share({ max: sizes.transactions, within: slow }),
    long: new Share({ max: sizes.long, maxPerClient: sizes.longPerClient, within: slow }),
  }
}
