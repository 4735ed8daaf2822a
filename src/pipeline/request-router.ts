import { METHODS } from 'node:http'
import { ApiError, refuse } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiRequest, PathParams } from '../http/api-request.ts'
import { type ApiResponse, noBody } from '../http/api-response.ts'
import { refusedMethod, unknownMethod, unknownPath } from '../http/route-problems.ts'
import { createMatchTree, type MatchTree } from '../router/match-tree.ts'
import type { BatchEndpoint } from './batch-endpoint.ts'
import type { FeedEndpoint } from './feed-endpoint.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import type { ServedPage } from './serve-page.ts'

/** A rule with everything that is decided at registration. */
export type Endpoint = ModelEndpoint | BatchEndpoint | FeedEndpoint

/** Where a request goes: to an endpoint, to a page, or to a response that needs neither. */
type Route =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint; readonly params: PathParams }
  | { readonly kind: 'page'; readonly page: ServedPage }
  | { readonly kind: 'response'; readonly response: ApiResponse | Promise<ApiResponse> }

export interface RequestRouter {
  /**
   * @throws ApiError `not-found`, `method-not-allowed`, `method-not-implemented`, `malformed-path`
   */
  route(request: ApiRequest): Route
}

/**
 * Routes requests below the mount path to the endpoints. `Allow` follows from the rules too.
 * @param pages pages for paths without a rule
 */
export function requestRouter(
  basePath: string,
  endpoints: readonly Endpoint[],
  pages: readonly ServedPage[] = [],
): RequestRouter {
  const trees: Routes = {
    endpoints: createMatchTree(),
    pages: createMatchTree(),
    isDocumented: pages.length > 0,
    templates: new Map(),
  }
  for (const endpoint of endpoints)
    trees.endpoints.add(endpoint.rule.method, endpoint.rule.path, endpoint)
  for (const { rule } of endpoints) trees.templates.set(rule.path, templateOf(basePath, rule.path))
  for (const page of pages) trees.pages.add('GET', page.path, page)
  return { route: (request) => route(trees, basePath, request) }
}

interface Routes {
  readonly endpoints: MatchTree<Endpoint>
  readonly pages: MatchTree<ServedPage>
  /** Are all paths public, because a page describes them? */
  readonly isDocumented: boolean
  /** What traces name the paths of rules. */
  readonly templates: Map<string, string>
}

/** The path as OpenAPI writes it: `/api/books/{id}`. */
function templateOf(basePath: string, path: string): string {
  return basePath + path.replace(/:(\w+)/g, '{$1}')
}

function route(
  { endpoints: tree, pages, isDocumented, templates }: Routes,
  basePath: string,
  request: ApiRequest,
): Route {
  const { method, path, trace } = request
  if (!path.startsWith(basePath)) throw new ApiError([unknownPath(path)])
  const pathBelowMount = path.slice(basePath.length)
  const match = tree.match(method, pathBelowMount)
  switch (match.kind) {
    case 'found':
      if (trace) trace.route = templates.get(match.value.rule.path)
      return { kind: 'endpoint', endpoint: match.value, params: match.params }
    case 'notFound':
      return (
        pageRoute(pages, pathBelowMount, request) ??
        refuseUnknownPath(isDocumented ? tree : undefined, basePath, pathBelowMount, request)
      )
    case 'malformed':
      throw refuse(
        'malformed-path',
        `Malformed percent-encoding in the path '${truncate(path, 200)}' (RFC 3986 §2.1).`,
      )
    case 'methodNotAllowed':
      return respondToOtherMethod(acceptedTypes(tree, pathBelowMount), method, match.allowedMethods)
  }
}

function pageRoute(
  pages: MatchTree<ServedPage>,
  pathBelowMount: string,
  request: ApiRequest,
): Route | undefined {
  const { method } = request
  const match = pages.match(method, pathBelowMount)
  if (match.kind === 'found') return { kind: 'page', page: match.value }
  if (match.kind === 'methodNotAllowed')
    return respondToOtherMethod({}, method, match.allowedMethods)
  return undefined
}

/** Longer paths are unlikely to be typing errors. */
const maxSuggestedPath = 200

/** @param tree where paths are suggested from; undefined where none may be revealed */
function refuseUnknownPath(
  tree: MatchTree<Endpoint> | undefined,
  basePath: string,
  pathBelowMount: string,
  { method, path }: ApiRequest,
): never {
  if (!METHODS.includes(method)) throw new ApiError([unknownMethod(method)])
  const nearest = path.length > maxSuggestedPath ? undefined : tree?.nearestPath(pathBelowMount)
  throw new ApiError([unknownPath(path, nearest && basePath + nearest)])
}

/** @param headers headers of the response to OPTIONS besides `Allow` */
function respondToOtherMethod(
  headers: Readonly<Record<string, string>>,
  method: string,
  allowedMethods: readonly string[],
): Route {
  if (method === 'OPTIONS') {
    const allow = allowedMethods.join(', ')
    return {
      kind: 'response',
      response: { status: 204, headers: { allow, ...headers, vary: 'Accept' }, body: noBody },
    }
  }
  throw refusedMethod(method, allowedMethods)
}

/** The media types of PATCH (RFC 5789 §3.1) and of QUERY (RFC 10008 §3). */
function acceptedTypes(
  tree: MatchTree<Endpoint>,
  pathBelowMount: string,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const method of ['PATCH', 'QUERY']) {
    const match = tree.match(method, pathBelowMount)
    const requestShape = match.kind === 'found' ? match.value.rule.request : undefined
    if (requestShape && requestShape.kind !== 'none')
      headers[`accept-${method.toLowerCase()}`] = requestShape.mediaTypes.join(', ')
  }
  return headers
}
