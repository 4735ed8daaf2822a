import type { PruneOptions, UndeclaredData } from '../store/undeclared-data.ts'
import type { Router } from './router.ts'
import { storesOf } from './stores-of-routers.ts'

/**
 * What the stores of the routers keep although no model declares it; drops it on demand. The models
 * of all routers over a store count.
 *
 * ```ts
 * for (const { name, itemCount } of await pruneRouters([router, jsonApiRouter], { drops: false }))
 *   console.log(name, itemCount)
 * ```
 *
 * @throws Error if a store cannot tell, or RegistrationError if it may not drop it
 */
export async function pruneRouters(
  routers: readonly Router[],
  options: PruneOptions,
): Promise<readonly UndeclaredData[]> {
  const { modelsByStore, others } = storesOf(routers)
  // One of several would take the models of the others for undeclared ones.
  if (others.length > 0 && routers.length > 1)
    throw new Error(
      'Several routers were made by another copy of resourcery, so nobody knows which of them share a store.',
    )
  const data: UndeclaredData[] = []
  for (const router of others) data.push(...((await router.prune(options)) ?? keepsNothing()))
  for (const [store, models] of modelsByStore) {
    data.push(...((await store.admin?.prune?.(models, options)) ?? keepsNothing()))
  }
  return data
}

function keepsNothing(): never {
  throw new Error('A store keeps nothing that no model declares.')
}
