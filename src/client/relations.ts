import type { Item } from './format.ts'
import { type AnyList, getList } from './lists.ts'
import type { RelationManifest } from './manifest.ts'
import { get, itemOf, type ModelRequests, pathOf, request, type Target } from './model-requests.ts'
import type { AnyQuery } from './query-text.ts'
import { identifiersOf } from './resource-format.ts'

interface Options {
  readonly signal?: AbortSignal
}

/** The calls for one relation, to one item or to many. */
export interface AnyRelationCalls {
  get(target: Target, query?: AnyQuery): Promise<Item | null>
  list(target: Target, query?: AnyQuery): Promise<AnyList>
  add(target: Target, ids: readonly string[], options?: Options): Promise<void>
  remove(target: Target, ids: readonly string[], options?: Options): Promise<void>
  set(target: Target, ids: string | null | readonly string[], options?: Options): Promise<void>
}

export function relationCalls(
  requests: ModelRequests,
  name: string,
  { model }: RelationManifest,
): AnyRelationCalls {
  const related = { ...requests, plural: model }
  const change =
    (method: string) =>
    async (target: Target, ids: unknown, { signal }: Options = {}): Promise<void> => {
      const path = pathOf(requests, target, 'relationships', name)
      const body = JSON.stringify({ data: identifiersOf(ids, model) })
      // The tag of an item is not that of its relationship, and adding undoes nothing of others.
      await request(requests, { method, path, body, signal }, (pointer) =>
        pointer.replace(/^\/data/, ''),
      )
    }
  return {
    get: async (target, query = {}) => {
      const response = await get(related, pathOf(requests, target, name), query)
      return (await itemOf(related, response, query)) ?? null
    },
    list: async (target, query = {}) =>
      (await getList(related, pathOf(requests, target, name), query)).list,
    add: change('POST'),
    remove: change('DELETE'),
    set: change('PATCH'),
  }
}
