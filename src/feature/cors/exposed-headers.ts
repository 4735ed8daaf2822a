import { headerCase } from '../../http/headers/header-case.ts'
import type { HeaderPresence } from '../../rule/response-shape.ts'
import type { Rule } from '../../rule/rule.ts'

/** Headers that pages can always read (Fetch Standard), and those that they never can. */
const unlisted: ReadonlySet<string> = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
  'set-cookie',
  'set-cookie2',
])

/** The response headers of these rules that pages of other origins cannot read otherwise. */
export function exposedHeaders(rules: readonly Rule[]): string {
  const names = new Set(rules.flatMap(headerNames))
  return [...names]
    .filter((name) => !unlisted.has(name) && !name.startsWith('access-control-'))
    .map(headerCase)
    .sort()
    .join(', ')
}

function headerNames(rule: Rule): readonly string[] {
  const others = 'otherResponses' in rule ? rule.otherResponses : []
  const present = [rule.response, ...others, ...rule.errorResponses].flatMap(
    ({ headers }: { readonly headers: HeaderPresence }) => Object.keys(headers),
  )
  const declared = rule.declarations.flatMap(
    ({ headers = {}, successHeaders = {}, responses = {} }) => [
      ...Object.keys(headers),
      ...Object.keys(successHeaders),
      ...Object.values(responses).flatMap((response) => Object.keys(response.headers ?? {})),
    ],
  )
  return [...present, ...declared.map((name) => name.toLowerCase())]
}
