import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, noBody } from '../http/api-response.ts'
import type { CorsSettings } from '../http/cors-options.ts'
import { headerCase } from '../http/headers/header-case.ts'
import { addedVary } from '../http/headers/vary.ts'
import { requestHeaderNames } from '../openapi/parameter-writer.ts'
import { allowedMethods, createMatchTree, type MatchTree } from '../router/match-tree.ts'
import type { Rule } from '../rule/rule.ts'
import { exposedHeaders } from './exposed-headers.ts'

/** What the answer to a preflight allows at a path. */
interface CorsPath {
  /** As the response to any other OPTIONS request has it. */
  readonly allow: string
  readonly methods: string
  readonly headers: string
}

/** The rules of a router, as pages of other origins may use them. */
export interface CorsRules {
  readonly paths: Pick<MatchTree<CorsPath>, 'match'>
  /** The value of `Access-Control-Expose-Headers`. */
  readonly exposedHeaders: string
}

/** @param ownHeaders further request headers of every path: of authenticators and options */
export function corsRules(rules: readonly Rule[], ownHeaders: readonly string[]): CorsRules {
  const byShape = new Map<string, Rule[]>()
  for (const rule of rules) {
    const shape = rule.path.replaceAll(/:\w+/g, ':')
    byShape.set(shape, [...(byShape.get(shape) ?? []), rule])
  }
  const paths = createMatchTree<CorsPath>()
  for (const [first, ...others] of byShape.values())
    if (first) paths.add('OPTIONS', first.path, corsPath([first, ...others], ownHeaders))
  return { paths, exposedHeaders: exposedHeaders(rules) }
}

/**
 * The same for all paths of a service beside the rules.
 * @param ownHeaders request headers besides `Accept` and `Content-Type`
 */
export function corsRulesOfService(
  methods: readonly string[],
  ownHeaders: readonly string[],
  { exposedHeaders }: Pick<CorsRules, 'exposedHeaders'>,
): CorsRules {
  const names = new Set(['Accept', 'Content-Type', ...ownHeaders.map(headerCase)])
  const value: CorsPath = {
    allow: [...methods, 'OPTIONS'].join(', '),
    methods: methods.join(', '),
    headers: [...names].sort().join(', '),
  }
  return { paths: { match: () => ({ kind: 'found', value, params: {} }) }, exposedHeaders }
}

function corsPath(rules: readonly Rule[], ownHeaders: readonly string[]): CorsPath {
  const methods = new Map(rules.map((rule) => [rule.method as string, rule]))
  const hasBody = rules.some(({ request }) => request.kind !== 'none')
  const headers = new Set([
    'Accept',
    ...(hasBody ? ['Content-Type'] : []),
    // Names the file of an upload.
    ...(rules.some(({ request }) => request.kind === 'bytes') ? ['Content-Disposition'] : []),
    ...rules.flatMap(requestHeaderNames),
    ...ownHeaders.map(headerCase),
  ])
  const allowed = allowedMethods(methods)
  return {
    allow: allowed.join(', '),
    methods: allowed.filter((method) => method !== 'OPTIONS').join(', '),
    headers: [...headers].sort().join(', '),
  }
}

/**
 * Answers preflights before authentication, because browsers send no credentials with them, and
 * adds the headers of CORS to every response, errors too, so that the page can read why a request
 * failed.
 *
 * @param rules undefined until the router is open
 */
export function withCors(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  settings: CorsSettings,
  basePath: string,
  rules: () => CorsRules | undefined,
): (request: ApiRequest) => Promise<ApiResponse> {
  const { origins, credentials, maxAgeSeconds } = settings
  const known = new Set(origins === '*' ? [] : origins)
  const originHeaders = (origin: string | undefined): Readonly<Record<string, string>> => {
    if (origins === '*') return { 'access-control-allow-origin': '*' }
    if (origin === undefined || !known.has(origin)) return {}
    return {
      'access-control-allow-origin': origin,
      ...(credentials && { 'access-control-allow-credentials': 'true' }),
    }
  }
  const preflight = (request: ApiRequest): ApiResponse | undefined => {
    const match = rules()?.paths.match('OPTIONS', request.path.slice(basePath.length))
    const allowed = originHeaders(request.headers.origin)
    if (match?.kind !== 'found' || allowed['access-control-allow-origin'] === undefined)
      return undefined
    const { allow, methods, headers } = match.value
    return {
      status: 204,
      headers: {
        ...allowed,
        'access-control-allow-methods': methods,
        'access-control-allow-headers': headers,
        'access-control-max-age': String(maxAgeSeconds),
        allow,
        vary: origins === '*' ? 'Accept' : 'Origin, Accept',
      },
      body: noBody,
    }
  }
  return async (request) => {
    const answer = isPreflight(request) ? preflight(request) : undefined
    if (answer) return answer
    const response = await handle(request)
    // The first request opens the router, and its rules are known from then on.
    const laterAnswer = isPreflight(request) ? preflight(request) : undefined
    if (laterAnswer) return laterAnswer
    const allowed = originHeaders(request.headers.origin)
    const isAllowed = allowed['access-control-allow-origin'] !== undefined
    const exposed = rules()?.exposedHeaders
    const { headers } = response
    return {
      ...response,
      headers: {
        ...headers,
        ...allowed,
        ...(isAllowed && exposed && { 'access-control-expose-headers': exposed }),
        // Caches must not give the response for one origin to another one.
        ...(origins !== '*' && { vary: addedVary('Origin', headers.vary) }),
      },
    }
  }
}

function isPreflight({ method, headers }: ApiRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}
