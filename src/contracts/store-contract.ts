import type { OpenStore } from './store/harness.ts'
import { declareParts, type StorePart, storeParts } from './store/parts.ts'

/**
 * The contract of stores. `open` returns an empty store that was not opened yet, and `dispose`
 * closes it, even if it is closed already.
 *
 * A store lists in `skips` what it does not support, with the reason: the parts `requestRecords`
 * and `changes`, if it has no `Store.requestRecords` or no `Store.changes`, or titles of tests. All
 * other tests run.
 *
 * ```ts
 * const open = async () => {
 *   const store = memory()
 *   return { store, dispose: () => store.close() }
 * }
 * storeContract('memory', open)
 * // For a store that keeps items only:
 * const reason = 'it keeps items only'
 * storeContract('a store of items', open, { requestRecords: reason, changes: reason })
 * ```
 */
export function storeContract(
  name: string,
  open: OpenStore,
  skips: Readonly<Record<string, string>> = {},
): void {
  declareParts(name, open, Object.keys(storeParts) as StorePart[], skips)
}
