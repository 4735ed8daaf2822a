import type { BackgroundServices } from '../background/background-services.ts'
import type { ItemsOf } from '../model/items/items.ts'
import type { RouterParts } from './router-lifecycle.ts'

/** What work beside requests gets of a router. Transactions need complete registrations. */
export function backgroundServicesOf(
  { settings, registrations }: Pick<RouterParts, 'settings' | 'registrations'>,
  items: ItemsOf,
): BackgroundServices {
  const { store, onError } = settings
  return {
    store,
    items,
    inTransaction: (work, beforeCommit) =>
      registrations.assembled().access.transaction(work, {}, beforeCommit),
    onError: (error) => onError(error, undefined),
  }
}
