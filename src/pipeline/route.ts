import { METHODS } from 'node:http'
import type { Page } from '../docs/page.ts'
import { refusal, refuse } from '../error/api-error.ts'
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
  | { readonly kind: 'answered'; readonly response: ApiResponse | Promise<ApiResponse> }

export interface Router {
  /** @throws ApiError `not-found`, `method-not-allowed`, `method-not-implemented`, `malformed-path` */
  route(request: ApiRequest): Route
}

/**
 * Routes requests below the mount path to the endpoints of the rules; `Allow` is read off the rules too.
 * @param pages what is served where no rule leads
 */
export function router(basePath: string, endpoints: readonly Endpoint[], pages: readonly Page[] = []): Router {
  const trees: Trees = { endpoints: matchTree(), pages: matchTree() }
  for (const endpoint of endpoints) trees.endpoints.add(endpoint.rule.method, endpoint.rule.path, endpoint)
  for (const page of pages) trees.pages.add('GET', page.path, page)
  return { route: (request) => route(trees, basePath, request) }
}

interface Trees {
  readonly endpoints: MatchTree<Endpoint>
  readonly pages: MatchTree<Page>
}

function route({ endpoints: tree, pages }: Trees, basePath: string, request: ApiRequest): Route {
  const { method, path } = request
  if (!path.startsWith(basePath)) throw nothingAt(path)
  const below = path.slice(basePath.length)
  const match = tree.match(method, below)
  switch (match.kind) {
    case 'found':
      return { kind: 'found', endpoint: match.value, params: match.params }
    case 'nothing':
      return pageRoute(pages, below, request)
    case 'malformed':
      throw refuse('malformed-path', 'The path has a percent sign that starts no UTF-8 octet (RFC 3986 §2.1).')
    case 'otherMethods':
      return otherMethod(acceptPatch(tree, below), method, match.allowed)
  }
}

function pageRoute(pages: MatchTree<Page>, below: string, request: ApiRequest): Route {
  const { method, path } = request
  const match = pages.match(method, below)
  if (match.kind === 'found') return { kind: 'answered', response: match.value.answer(request) }
  if (match.kind === 'otherMethods') return otherMethod({}, method, match.allowed)
  throw METHODS.includes(method) ? nothingAt(path) : unknownMethod(method)
}

/** @param headers what OPTIONS says beside the methods */
function otherMethod(headers: Readonly<Record<string, string>>, method: string, allowed: readonly string[]): Route {
  const allow = allowed.join(', ')
  if (method === 'OPTIONS')
    return { kind: 'answered', response: { status: 204, headers: { allow, ...headers, vary: 'Accept' }, body: noBody } }
  if (!METHODS.includes(method)) throw unknownMethod(method)
  // HEAD has the headers of GET, the length of the answer among them (RFC 9110 §9.3.2).
  const name = method === 'HEAD' ? 'GET' : method
  throw refuse('method-not-allowed', `${name} is not answered here; ${allow} are.`, undefined, { headers: { allow } })
}

/** RFC 5789 §3.1 */
function acceptPatch(tree: MatchTree<Endpoint>, below: string): Readonly<Record<string, string>> {
  const patch = tree.match('PATCH', below)
  const shape = patch.kind === 'found' ? patch.value.rule.request : undefined
  return shape && shape.kind !== 'none' ? { 'accept-patch': shape.mediaTypes.join(', ') } : {}
}

function nothingAt(path: string): Error {
  return refusal('not-found', `There is nothing at '${shortened(path, 200)}'.`)
}

function unknownMethod(method: string): Error {
  return refusal('method-not-implemented', `'${shortened(method, 32)}' is not a method that this service knows.`)
}
