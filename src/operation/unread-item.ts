import type { ErrorCode } from '../error/catalog.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { findItem, findItemErrors } from './find-item.ts'
import type { OperationInput } from './operation-input.ts'

export const unreadItemErrors: readonly ErrorCode[] = [...findItemErrors]

/** An item that is read when a response needs it, its version alone where that is enough. */
export interface UnreadItem {
  /**
   * Reads the version alone. Undefined where there is none, or where the store cannot read it
   * faster than the item.
   */
  readVersion(): Promise<string | undefined> | undefined
  /**
   * Reads the item, which may have changed since `readVersion`.
   * @throws ApiError `not-found`
   */
  read(): Promise<StoredItem>
}

/** The item in the path. */
export function unreadItem(input: OperationInput): UnreadItem {
  return new PathItem(input)
}

/** A class, because one object is created for each request. */
class PathItem implements UnreadItem {
  readonly #input: OperationInput

  constructor(input: OperationInput) {
    this.#input = input
  }

  readVersion(): Promise<string | undefined> | undefined {
    const { store, view, plan } = this.#input
    return view.model.hashField && store.fastPaths?.findVersion?.(view.model, plan.condition)
  }

  read(): Promise<StoredItem> {
    return findItem(this.#input.store, this.#input)
  }
}
