import {
  allItemsPlan,
  type BlobStore,
  type ModelDescription,
  readStoredValues,
  resourcesIn,
  type Store,
  StoredResource,
} from '../../store/public.ts'
import { verified } from '../moving/copied-blobs.ts'

/** What was found in a restored backup. */
export interface VerifyReport {
  /** The items of each model, by the names of the models. */
  readonly itemCounts: Readonly<Record<string, number>>
  readonly resourceCount: number
  /** Undefined if the blobs are left out. */
  readonly readByteCount: number | undefined
  /** What is damaged or missing, in sentences: the first of them. */
  readonly faults: readonly string[]
  readonly faultCount: number
}

/** How many faults are named. */
const maxFaults = 20

/**
 * Reads all items of models, and the bytes of their binary resources.
 *
 * @param blobs undefined if they are left out
 * @param models those whose items clients see
 * @param storedModels all that the store keeps, such as former versions
 */
export async function verifyData(
  store: Store,
  blobs: BlobStore | undefined,
  models: readonly ModelDescription[],
  storedModels: readonly ModelDescription[],
): Promise<VerifyReport> {
  const faults = new Faults()
  const itemCounts: Record<string, number> = {}
  let resourceCount = 0
  let byteCount = 0
  const seen = new Set<string>()
  for (const model of models) {
    itemCounts[model.name] = 0
    for await (const items of store.list(model, allItemsPlan))
      for (const item of items) {
        itemCounts[model.name]! += 1
        for (const [path, resource] of resourcesIn(model, readStoredValues(model, item))) {
          const key = StoredResource.blobKeyOf(resource)
          seen.add(key)
          const fault = blobs && (await faultOf(blobs, key, resource))
          if (fault) faults.add(`'${path}' of ${model.name} '${item.id}': ${fault}`)
          resourceCount++
          byteCount += resource.size
        }
      }
  }
  if (blobs)
    for await (const key of keptKeys(store, storedModels))
      if (!seen.has(key) && !(await blobs.read(key))) {
        seen.add(key)
        faults.add(`The blob '${key}', which a former version or a deleted item has, is missing.`)
      }
  const readByteCount = blobs && byteCount
  return {
    itemCounts,
    resourceCount,
    readByteCount,
    faults: faults.first,
    faultCount: faults.count,
  }
}

class Faults {
  readonly first: string[] = []
  count = 0

  add(fault: string): void {
    if (this.count++ < maxFaults) this.first.push(fault)
  }
}

/** The keys of blobs of all items, also of those that clients do not see. */
async function* keptKeys(
  store: Store,
  models: readonly ModelDescription[],
): AsyncGenerator<string> {
  for (const model of models)
    for await (const keys of store.fastPaths?.blobKeys?.(model) ?? []) yield* keys
  for await (const keys of store.admin?.undeclaredBlobKeys?.(models) ?? []) yield* keys
}

async function faultOf(
  blobs: BlobStore,
  key: string,
  resource: StoredResource,
): Promise<string | undefined> {
  const bytes = await blobs.read(key)
  if (!bytes) return `The blob '${key}' is missing.`
  try {
    for await (const _ of verified(bytes, resource));
  } catch (error) {
    return (error as Error).message
  }
  return undefined
}
