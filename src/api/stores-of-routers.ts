import type { ModelDescription } from '../model/model-description.ts'
import type { PlanOptions, Store } from '../store/store.ts'
import type { Router } from './router.ts'
import { findContent, type RouterContent } from './router-content.ts'
import { refuseDifferingModels } from './shared-models.ts'
import { routersWithData } from './stores-by-caller/store-routers.ts'

interface StoresOfRouters {
  /** The models of all routers over each store. */
  readonly modelsByStore: ReadonlyMap<Store, readonly ModelDescription[]>
  /** What each of them keeps besides items. */
  readonly keptByStore: ReadonlyMap<Store, PlanOptions>
  /** Nobody knows the stores of routers of another copy of the package. */
  readonly others: readonly Router[]
}

/** @throws RegistrationError if two routers over one store declare a model differently */
export function storesOf(routers: readonly Router[]): StoresOfRouters {
  const modelsByStore = new Map<Store, readonly ModelDescription[]>()
  const keptByStore = new Map<Store, PlanOptions>()
  const others: Router[] = []
  for (const router of routers.flatMap(routersWithData)) {
    const content = findContent(router)
    if (content) {
      addModels(modelsByStore, content)
      const earlier = keptByStore.get(content.store)
      const { keepsRequests, keepsChanges } = content.kept()
      keptByStore.set(content.store, {
        keepsRequests: keepsRequests || earlier?.keepsRequests,
        keepsChanges: keepsChanges || earlier?.keepsChanges,
      })
    } else others.push(router)
  }
  return { modelsByStore, keptByStore, others }
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
