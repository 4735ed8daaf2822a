import { METHODS } from 'node:http'
import type { DocsPage } from '../docs/docs-page.ts'
import { createApiError, refuse } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, noBody } from '../http/api-response.ts'
import type { PathParams } from '../http/path-params.ts'
import { createMatchTree, type MatchTree } from '../router/match-tree.ts'
import type { BatchEndpoint } from './batch-endpoint.ts'
import type { ModelEndpoint } from './model-endpoint.ts'

/** A rule with all that is decided about it at registration. */
export type Endpoint = ModelEndpoint | BatchEndpoint

/** Where a request goes: to an endpoint, or to no further than here. */
export type Route =
  | { readonly kind: 'found'; readonly endpoint: Endpoint; readonly params: PathParams }
  | { readonly kind: 'answered'; readonly response: ApiResponse | Promise<ApiResponse> }

export interface RequestRouter {
  /**
   * @throws ApiError `not-found`, `method-not-allowed`, `method-not-implemented`, `malformed-path`
   */
  route(request: ApiRequest): Route
}

/**
 * Routes requests below the mount path to the endpoints of the rules; `Allow` is read off the rules
 * too.
 * @param pages what is served where no rule leads
 */
export function requestRouter(
  basePath: string,
  endpoints: readonly Endpoint[],
  pages: readonly DocsPage[] = [],
): RequestRouter {
  const trees: MatchTrees = { endpoints: createMatchTree(), pages: createMatchTree() }
  for (const endpoint of endpoints)
    trees.endpoints.add(endpoint.rule.method, endpoint.rule.path, endpoint)
  for (const page of pages) trees.pages.add('GET', page.path, page)
  return { route: (request) => route(trees, basePath, request) }
}

interface MatchTrees {
  readonly endpoints: MatchTree<Endpoint>
  readonly pages: MatchTree<DocsPage>
}

function route(
  { endpoints: tree, pages }: MatchTrees,
  basePath: string,
  request: ApiRequest,
): Route {
  const { method, path } = request
  if (!path.startsWith(basePath)) throw pathNotFound(path)
  const below = path.slice(basePath.length)
  const match = tree.match(method, below)
  switch (match.kind) {
    case 'found':
      return { kind: 'found', endpoint: match.value, params: match.params }
    case 'nothing':
      return pageRoute(pages, below, request)
    case 'malformed':
      throw refuse(
        'malformed-path',
        'The path has a percent sign that starts no UTF-8 octet (RFC 3986 §2.1).',
      )
    case 'otherMethods':
      return respondToOtherMethod(acceptPatch(tree, below), method, match.allowedMethods)
  }
}

function pageRoute(pages: MatchTree<DocsPage>, below: string, request: ApiRequest): Route {
  const { method, path } = request
  const match = pages.match(method, below)
  if (match.kind === 'found') return { kind: 'answered', response: match.value.respond(request) }
  if (match.kind === 'otherMethods') return respondToOtherMethod({}, method, match.allowedMethods)
  throw METHODS.includes(method) ? pathNotFound(path) : unknownMethod(method)
}

/** @param headers what OPTIONS says beside the methods */
function respondToOtherMethod(
  headers: Readonly<Record<string, string>>,
  method: string,
  allowed: readonly string[],
): Route {
  const allow = allowed.join(', ')
  if (method === 'OPTIONS')
    return {
      kind: 'answered',
      response: { status: 204, headers: { allow, ...headers, vary: 'Accept' }, body: noBody },
    }
  if (!METHODS.includes(method)) throw unknownMethod(method)
  // HEAD has the headers of GET, the length of the answer among them (RFC 9110 §9.3.2).
  const name = method === 'HEAD' ? 'GET' : method
  throw refuse('method-not-allowed', `${name} is not answered here; ${allow} are.`, undefined, {
    headers: { allow },
  })
}

/** RFC 5789 §3.1 */
function acceptPatch(tree: MatchTree<Endpoint>, below: string): Readonly<Record<string, string>> {
  const patch = tree.match('PATCH', below)
  const shape = patch.kind === 'found' ? patch.value.rule.request : undefined
  return shape && shape.kind !== 'none' ? { 'accept-patch': shape.mediaTypes.join(', ') } : {}
}

function pathNotFound(path: string): Error {
  return createApiError('not-found', `There is nothing at '${truncate(path, 200)}'.`)
}

function unknownMethod(method: string): Error {
  return createApiError(
    'method-not-implemented',
    `'${truncate(method, 32)}' is not a method that this service knows.`,
  )
}
