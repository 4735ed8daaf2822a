import { isCaptured } from '../model/is-captured.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { BlobStore } from '../store/blob-store.ts'
import type { Store } from '../store/store.ts'
import { schemaFingerprint } from '../stored-item/migrate-item.ts'

/** What an open router has in its stores. */
interface OpenModels {
  readonly models: readonly ModelDescription[]
  /** Those whose changes are in the log of changes. */
  readonly loggedModels: readonly ModelDescription[]
  readonly blobs: BlobStore | undefined
}

/** The models of open routers by store. */
const openModelsByStore = new WeakMap<Store, Set<OpenModels>>()

/**
 * Checks that all open routers over a store declare its models alike: they send the same stored
 * JSON, so a field that one model hides must not be visible in another. Their files must be in one
 * blob store, and all of them log the changes of a model, or none does.
 * @returns a function that removes the models again
 * @throws RegistrationError
 */
export function registerSharedModels(store: Store, opening: OpenModels): () => void {
  const openModels = openModelsByStore.get(store) ?? new Set()
  for (const others of openModels) {
    refuseDifferingModels(others.models, opening.models)
    refuseOtherBlobs(others, opening)
    refuseOtherLogging(others, opening)
    refuseOtherCapture(others, opening)
  }
  openModelsByStore.set(store, openModels.add(opening))
  return () => void openModels.delete(opening)
}

/** The bytes of an item that one router stores must be where the other looks for them. */
function refuseOtherBlobs(others: OpenModels, { models, blobs }: OpenModels): void {
  if (others.blobs === blobs) return
  const otherNames = new Set(others.models.map(({ name }) => name))
  const shared = models.find(
    ({ name, resourcePaths }) => resourcePaths.length > 0 && otherNames.has(name),
  )
  if (shared)
    throw new RegistrationError(
      `Two routers over one store keep the files of the model '${shared.name}' in different blob stores, so neither could send the files of the other. Pass the same blob store to both: createRouter({ store, blobs, … }).`,
    )
}

/** A log with the changes of one router only would have gaps. */
function refuseOtherLogging(others: OpenModels, opening: OpenModels): void {
  const loggedBy = ({ loggedModels }: OpenModels) => new Set(loggedModels.map(({ name }) => name))
  const [before, now] = [loggedBy(others), loggedBy(opening)]
  const otherNames = new Set(others.models.map(({ name }) => name))
  const gap = opening.models.find(
    ({ name }) => otherNames.has(name) && before.has(name) !== now.has(name),
  )
  if (gap)
    throw new RegistrationError(
      `Of two routers over one store, only one logs changes of the model '${gap.name}', so the log would lack those of the other. Set the option 'changes' of createRouter() for both or for none, or that of the model.`,
    )
}

/** The start of one would drop the triggers of the other. */
function refuseOtherCapture(others: OpenModels, opening: OpenModels): void {
  const captures = new Map(others.models.map((model) => [model.name, isCaptured(model)]))
  const model = opening.models.find(
    (each) => captures.has(each.name) && captures.get(each.name) !== isCaptured(each),
  )
  if (model)
    throw new RegistrationError(
      `Of two routers over one store, only one has { capture: 'triggers' } for the model '${model.name}'. Set it for both or for none.`,
    )
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
