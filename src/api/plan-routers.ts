import type { ModelDescription } from '../model/model-description.ts'
import { plannedRollups } from '../store/rollups/fill-rollups.ts'
import type { PlanOptions, Store } from '../store/store.ts'
import type { PlanStep } from '../store/store-plan.ts'
import type { Router } from './router.ts'
import { nameOfStore } from './stores-by-caller/check-stores.ts'
import { withStoreOfWork } from './stores-by-caller/name-store.ts'
import { storesOf } from './stores-of-routers.ts'

/**
 * What opening the routers would do to their stores. A store is planned once, with the models of
 * all routers over it: else the tables of one router would be abandoned ones for another.
 *
 * ```ts
 * const steps = await planRouters([router, jsonApiRouter])
 * if (steps?.some(({ kind }) => kind === 'refused')) process.exitCode = 1
 * ```
 *
 * @returns undefined if a store cannot tell
 * @throws RegistrationError if two routers over one store declare a model differently
 */
export async function planRouters(
  routers: readonly Router[],
): Promise<readonly PlanStep[] | undefined> {
  const plans: (readonly PlanStep[] | undefined)[] = []
  const { modelsByStore, keptByStore, others } = storesOf(routers)
  for (const router of others) plans.push(await router.plan())
  for (const [store, models] of modelsByStore)
    plans.push(await planNamed(store, models, keptByStore.get(store)))
  return plans.every((steps) => steps !== undefined) ? plans.flat() : undefined
}

/** @throws what the store throws, with its name where there are several */
async function planNamed(...call: Parameters<typeof planStore>): ReturnType<typeof planStore> {
  try {
    return await planStore(...call)
  } catch (error) {
    const name = nameOfStore(call[0])
    throw name === undefined ? error : withStoreOfWork(name, error)
  }
}

/** What opening a router with these models would do; undefined if the store cannot tell. */
export async function planStore(
  store: Store,
  models: readonly ModelDescription[],
  kept: PlanOptions | undefined,
): Promise<readonly PlanStep[] | undefined> {
  const steps = await store.admin?.plan?.(models, kept)
  // They are computed once the store is open.
  return steps && [...steps, ...(await plannedRollups(store, models))]
}
