import type { ModelDescription } from '../model/model-description.ts'
import type { Store } from '../store/store.ts'
import type { PlanStep } from '../store/store-plan.ts'
import type { Router } from './router.ts'
import { findContent, type RouterContent } from './router-content.ts'
import { refuseDifferingModels } from './shared-models.ts'

/**
 * What opening the routers would do to their stores. A store is planned once, with the models of
 * all routers over it: else the tables of one router would be abandoned ones for another.
 *
 * @returns undefined if a store cannot tell
 * @throws RegistrationError if two routers over one store declare a model differently
 */
export async function planRouters(
  routers: readonly Router[],
): Promise<readonly PlanStep[] | undefined> {
  const plans: (readonly PlanStep[] | undefined)[] = []
  const modelsByStore = new Map<Store, readonly ModelDescription[]>()
  for (const router of routers) {
    const content = findContent(router)
    // Nobody knows the store of a router of another copy of the package.
    if (content) addModels(modelsByStore, content)
    else plans.push(await router.plan())
  }
  for (const [store, models] of modelsByStore) plans.push(await store.plan?.(models))
  return plans.every((steps) => steps !== undefined) ? plans.flat() : undefined
}

function addModels(
  modelsByStore: Map<Store, readonly ModelDescription[]>,
  { store, storedModels }: RouterContent,
): void {
  const others = modelsByStore.get(store) ?? []
  const models = storedModels()
  refuseDifferingModels(others, models)
  const names = new Set(others.map(({ name }) => name))
  modelsByStore.set(store, [...others, ...models.filter(({ name }) => !names.has(name))])
}
