import type { ModelDescription, StoredResource, StoredValues } from '../../store/public.ts'

/** An item on its way. */
export interface MovedItem {
  readonly model: ModelDescription
  readonly values: StoredValues
  /** Has the next item to be written in the same transaction? */
  readonly isJoined: boolean
}

/** Where items come from: a store or a file. It can be read several times. */
export interface ItemSource {
  /** How many items each model has. */
  count(): Promise<ReadonlyMap<ModelDescription, number>>
  /**
   * The items in the order of the plan. The items of one transaction stand in one batch.
   * @param models only the items of these, in any order; default: of all
   */
  items(models?: ReadonlySet<ModelDescription>): AsyncIterable<readonly MovedItem[]>
  /** @throws Error if the bytes are not there */
  readBlob(resource: StoredResource): Promise<AsyncIterable<Uint8Array>>
}

/** How many items are read and written at a time. */
export const batchSize = 500

/** Names an item among those of all models, also in messages: `the book 'dune'`. */
export function nameOf({ name }: ModelDescription, id: string): string {
  return `the ${name} '${id}'`
}
