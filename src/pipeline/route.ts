import { METHODS } from 'node:http'
import { refuse } from '../error/api-error.ts'
import { shortened } from '../error/shortened.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, noBody } from '../http/api-response.ts'
import type { Params } from '../http/path-params.ts'
import { type MatchTree, matchTree } from '../router/match-tree.ts'
import type { BatchEndpoint } from './batch-endpoint.ts'
import type { ModelEndpoint } from './endpoint.ts'

/** A rule with all that is decided about it at registration. */
export type Endpoint = ModelEndpoint | BatchEndpoint

/** Where a request goes: to an endpoint, or to no further than here. */
export type Route =
  | { readonly kind: 'found'; readonly endpoint: Endpoint; readonly params: Params }
  | { readonly kind: 'answered'; readonly response: ApiResponse }

export interface Router {
  /** @throws ApiError `not-found`, `method-not-allowed`, `method-not-implemented`, `malformed-path` */
  route(request: ApiRequest): Route
}

/** Routes requests below the mount path to the endpoints of the rules; `Allow` is read off the rules too. */
export function router(basePath: string, endpoints: readonly Endpoint[]): Router {
  const tree = matchTree<Endpoint>()
  for (const endpoint of endpoints) tree.add(endpoint.rule.method, endpoint.rule.path, endpoint)
  return { route: (request) => route(tree, basePath, request) }
}

function route(tree: MatchTree<Endpoint>, basePath: string, { method, path }: ApiRequest): Route {
  if (!path.startsWith(basePath)) throw nothingAt(path)
  const below = path.slice(basePath.length)
  const match = tree.match(method, below)
  switch (match.kind) {
    case 'found':
      return { kind: 'found', endpoint: match.value, params: match.params }
    case 'nothing':
      throw METHODS.includes(method) ? nothingAt(path) : unknownMethod(method)
    case 'malformed':
      throw refuse('malformed-path', 'The path has a percent sign that starts no UTF-8 octet (RFC 3986 §2.1).')
    case 'otherMethods':
      return otherMethod(tree, below, method, match.allowed)
  }
}

function otherMethod(tree: MatchTree<Endpoint>, below: string, method: string, allowed: readonly string[]): Route {
  const allow = allowed.join(', ')
  if (method === 'OPTIONS')
    return {
      kind: 'answered',
      response: { status: 204, headers: { allow, ...acceptPatch(tree, below), vary: 'Accept' }, body: noBody },
    }
  if (!METHODS.includes(method)) throw unknownMethod(method)
  throw refuse('method-not-allowed', `${method} is not answered here; ${allow} are.`, undefined, { headers: { allow } })
}

/** RFC 5789 §3.1 */
function acceptPatch(tree: MatchTree<Endpoint>, below: string): Readonly<Record<string, string>> {
  const patch = tree.match('PATCH', below)
  const shape = patch.kind === 'found' ? patch.value.rule.request : undefined
  return shape && shape.kind !== 'none' ? { 'accept-patch': shape.mediaTypes.join(', ') } : {}
}

function nothingAt(path: string): Error {
  return refuse('not-found', `There is nothing at '${shortened(path, 200)}'.`)
}

function unknownMethod(method: string): Error {
  return refuse('method-not-implemented', `'${shortened(method, 32)}' is not a method that this service knows.`)
}
