import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { Store } from '../store/store.ts'
import { schemaFingerprint } from '../stored-item/migrate-item.ts'

/** The models of the routers that are open, by the store that they share. */
const openModelsByStore = new WeakMap<Store, Set<readonly ModelDescription[]>>()

/**
 * A store keeps an item as one text, which every router over it sends: what one of them hides, none
 * may show.
 * @returns takes the models off again
 * @throws RegistrationError where another open router over the store declares one of the models
 * otherwise
 */
export function registerSharedModels(
  store: Store,
  models: readonly ModelDescription[],
): () => void {
  const others = openModelsByStore.get(store) ?? new Set()
  for (const model of models) {
    for (const other of others) {
      const twin = other.find(({ name, plural }) => name === model.name || plural === model.plural)
      if (twin && schemaFingerprint(twin) !== schemaFingerprint(model)) throw differingModels(model)
    }
  }
  openModelsByStore.set(store, others.add(models))
  return () => void others.delete(models)
}

function differingModels({ name }: ModelDescription): RegistrationError {
  return new RegistrationError(
    `Two routers over one store declare the model '${name}' with other fields, or hide others of them; prepare the same model on both, and let a mapper hide what one of them does not show.`,
  )
}
