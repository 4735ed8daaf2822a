import { OutdatedItemError } from './client-error.ts'
import { fileCalls } from './files.ts'
import { followList } from './follow.ts'
import { type Item, modelOf, type ReceivedDocument } from './format.ts'
import { getList, streamItems } from './lists.ts'
import type { ActionManifest } from './manifest.ts'
import { mapped } from './mapped.ts'
import {
  get,
  getItem,
  idOf,
  itemOf,
  type ModelRequests,
  pathOf,
  type Target,
  write,
} from './model-requests.ts'
import { withoutStart } from './plain-format.ts'
import type { AnyQuery } from './query-text.ts'
import { relationCalls } from './relations.ts'

type Values = Readonly<Record<string, unknown>>

/** All calls about one model; types say which of them a service has. */
export function modelClient(requests: ModelRequests): object {
  const { manifest, format, plural } = requests
  const path = `/${plural}`
  const { actions, relations } = modelOf(manifest, plural)
  const send = async (
    method: string,
    target: Target,
    values: Values | undefined,
    query: AnyQuery = {},
  ): Promise<Item | undefined> => {
    const body = values && format.writeItem(values, plural, idOf(target))
    const to = pathOf(requests, target)
    return itemOf(requests, await write(requests, target, { method, path: to, body, query }), query)
  }
  return {
    list: async (query: AnyQuery = {}) => (await getList(requests, path, query)).list,
    stream: (query: AnyQuery = {}) => streamItems(requests, path, query),
    follow: (query: AnyQuery = {}) => followList(requests, query),
    groups: async (query: AnyQuery) => {
      const response = await get(requests, `${path}/groups`, query)
      const { groups, meta }: ReceivedDocument = await response.json()
      return { groups: groups ?? meta.groups, total: meta?.page?.total }
    },
    get: (id: string, query: AnyQuery = {}) => getItem(requests, id, query),
    create: async (values: Values, query: AnyQuery = {}) => {
      const body = format.writeItem(values, plural)
      const response = await write(requests, '', { method: 'POST', path, body, query })
      return itemOf(requests, response, query)
    },
    update: (target: Target, changes: Values, query?: AnyQuery) =>
      send('PATCH', target, changes, query),
    replace: (target: Target, values: Values, query?: AnyQuery) =>
      send('PUT', target, values, query),
    delete: (target: Target, query?: AnyQuery) => send('DELETE', target, undefined, query),
    isOutdated: (error: unknown) => error instanceof OutdatedItemError && error.model === plural,
    actions: mapped(actions, (action) => actionCall(requests, action)),
    relations: mapped(relations, (relation, name) => relationCalls(requests, name, relation)),
    ...fileCalls(requests),
  }
}

function actionCall(requests: ModelRequests, { segment, hasOutput }: ActionManifest) {
  const { format } = requests
  return async (target: Target, input: unknown, query: AnyQuery = {}): Promise<unknown> => {
    const response = await write(
      requests,
      target,
      {
        method: 'POST',
        path: pathOf(requests, target, segment),
        ...(input !== undefined && { body: format.writeInput(input) }),
        query,
      },
      (pointer) => withoutStart(pointer, '/meta'),
    )
    return hasOutput ? format.readOutput(await response.json()) : itemOf(requests, response, query)
  }
}
