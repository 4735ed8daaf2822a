import { moveItems } from './move-items.ts'
import type { MovableStore, MoveOptions, MoveReport } from './move-options.ts'
import { checkMoveOptions, openSource, openStore } from './open-store.ts'
import { storeSource } from './store-source.ts'

/**
 * Copies all items of a store into another, with their binary resources, and compares the copies.
 * Items that the other store has already, with the same content, are left alone, so that a copy
 * that was interrupted goes on where it was.
 *
 * ```ts
 * const report = await copyItems({ store: sqlite('books.db') }, { store: memory() }, {
 *   models: [Book],
 * })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 * @throws Error that names the item which the other store cannot hold
 */
export async function copyItems(
  from: MovableStore,
  to: MovableStore,
  options: MoveOptions,
): Promise<MoveReport> {
  checkMoveOptions('copyItems()', options)
  const plans = await openSource(from, options.models)
  await openStore(to, options.models, plans)
  return moveItems(storeSource(from.store, from.blobs, plans), to, plans, options)
}
