import type { OpenStore } from './store/harness.ts'
import { declareParts, type StorePart, storeParts } from './store/parts.ts'

/**
 * The contract of stores. `open` returns an empty store that was not opened yet, and `dispose`
 * closes it, even if it is closed already. A store that does not support a part lists the test and
 * the reason in `skips`.
 *
 * ```ts
 * storeContract('memory', async () => {
 *   const store = memory()
 *   return { store, dispose: () => store.close() }
 * })
 * ```
 */
export function storeContract(
  name: string,
  open: OpenStore,
  skips: Readonly<Record<string, string>> = {},
): void {
  declareParts(name, open, Object.keys(storeParts) as StorePart[], skips)
}
