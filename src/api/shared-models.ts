import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { Store } from '../store/store.ts'
import { schemaFingerprint } from '../stored-item/migrate-item.ts'

/** The models of open routers by store. */
const openModelsByStore = new WeakMap<Store, Set<readonly ModelDescription[]>>()

/**
 * Checks that all open routers over a store declare its models alike: they send the same stored
 * JSON, so a field that one model hides must not be visible in another.
 * @returns a function that removes the models again
 * @throws RegistrationError
 */
export function registerSharedModels(
  store: Store,
  models: readonly ModelDescription[],
): () => void {
  const openModels = openModelsByStore.get(store) ?? new Set()
  for (const others of openModels) refuseDifferingModels(others, models)
  openModelsByStore.set(store, openModels.add(models))
  return () => void openModels.delete(models)
}

/** @throws RegistrationError if models of two routers over one store are declared differently */
export function refuseDifferingModels(
  others: readonly ModelDescription[],
  models: readonly ModelDescription[],
): void {
  for (const model of models) {
    const other = others.find(({ name, plural }) => name === model.name || plural === model.plural)
    if (other && schemaFingerprint(other) !== schemaFingerprint(model)) throw differingModels(model)
  }
}

function differingModels({ name }: ModelDescription): RegistrationError {
  return new RegistrationError(
    `Two routers over one store declare the model '${name}' differently (fields or 'hidden'). Prepare the same model on both, and use a mapper to hide fields in one of them.`,
  )
}
