import { headerCase } from '../../http/headers/header-case.ts'
import { requestHeaderNames } from '../../openapi/parameter-writer.ts'
import { allowedMethods, createMatchTree, type MatchTree } from '../../router/match-tree.ts'
import type { Rule } from '../../rule/rule.ts'
import type { RouterFacts } from '../feature.ts'
import { exposedHeaders } from './exposed-headers.ts'

/** What the response to a preflight allows at a path. */
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
export function corsRules(
  { rules, pagePaths }: Pick<RouterFacts, 'rules' | 'pagePaths'>,
  ownHeaders: readonly string[],
): CorsRules {
  const byShape = new Map<string, Rule[]>()
  for (const rule of rules) {
    const shape = rule.path.replaceAll(/:\w+/g, ':')
    byShape.set(shape, [...(byShape.get(shape) ?? []), rule])
  }
  const paths = createMatchTree<CorsPath>()
  for (const [first, ...others] of byShape.values())
    if (first) paths.add('OPTIONS', first.path, corsPath([first, ...others], ownHeaders))
  const ofPages = corsPathOf(['GET', 'HEAD'], ['Accept', 'If-None-Match'], ownHeaders)
  for (const path of pagePaths) paths.add('OPTIONS', path, ofPages)
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
  const value = corsPathOf(methods, ['Accept', 'Content-Type'], ownHeaders)
  return { paths: { match: () => ({ kind: 'found', value, params: {} }) }, exposedHeaders }
}

function corsPathOf(
  methods: readonly string[],
  headers: readonly string[],
  ownHeaders: readonly string[],
): CorsPath {
  const names = new Set([...headers, ...ownHeaders.map(headerCase)])
  return {
    allow: [...methods, 'OPTIONS'].join(', '),
    methods: methods.join(', '),
    headers: [...names].sort().join(', '),
  }
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
