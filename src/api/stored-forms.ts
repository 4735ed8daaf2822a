import type { ModelDescription } from '../model/description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { formOf } from '../store/renewed-item.ts'
import type { Store } from '../store/store.ts'

/** The models of the routers that are open, by the store that they share. */
const opened = new WeakMap<Store, Set<readonly ModelDescription[]>>()

/**
 * A store keeps an item as one text, which every router over it sends: what one of them hides, none may show.
 * @returns takes the models off again
 * @throws RegistrationError where another open router over the store declares one of the models otherwise
 */
export function shareForms(store: Store, models: readonly ModelDescription[]): () => void {
  const others = opened.get(store) ?? new Set()
  for (const model of models) {
    for (const other of others) {
      const twin = other.find(({ name, plural }) => name === model.name || plural === model.plural)
      if (twin && formOf(twin) !== formOf(model)) throw differing(model)
    }
  }
  opened.set(store, others.add(models))
  return () => void others.delete(models)
}

function differing({ name }: ModelDescription): RegistrationError {
  return new RegistrationError(
    `Two routers over one store declare the model '${name}' with other fields, or hide others of them; prepare the same model on both, and let a mapper hide what one of them does not show.`,
  )
}
