import { isClientAbort } from '../context/client-abort.ts'
import type { Context } from '../context/context.ts'
import { ApiError } from '../error/api-error.ts'
import { StoreOverloaded, StoreTimeout, StoreUnavailable } from '../store/store-failures.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'

/**
 * A state that an item once had cannot be written, and never can be: the log does not change, so
 * who follows it has to get past it.
 */
export class UnwritableState extends Error {
  readonly item: StoredItem

  constructor(item: StoredItem, cause: unknown) {
    super('A former state of an item cannot be written.', { cause })
    this.item = item
  }
}

/** The error itself where the same may be written later, or for another client. */
export function unwritableOr(error: unknown, item: StoredItem, context: Context): unknown {
  const isPassing =
    isClientAbort(error, context) ||
    temporaryFailures.some((failure) => error instanceof failure) ||
    (error instanceof ApiError && error.status >= 500)
  return isPassing ? error : new UnwritableState(item, error)
}

const temporaryFailures = [StoreUnavailable, StoreOverloaded, StoreTimeout] as const
