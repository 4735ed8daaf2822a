import { charsetParameters } from '../rule/media-type-parameters.ts'
import type { QueryRequest } from '../rule/request-shape.ts'
import type { PolicyOperationRule } from '../rule/rule.ts'

/** What can be asked with more parameters than an address holds. */
export type QueriedOperation =
  | 'GetList'
  | 'GetChanges'
  | 'GetGroups'
  | 'RelatedGet'
  | 'RelationshipGet'

const queryRequest: QueryRequest = Object.freeze({
  kind: 'query',
  mediaTypes: Object.freeze(['application/x-www-form-urlencoded']),
  parameters: charsetParameters,
})

/**
 * The rule, and the same with QUERY, whose body has the query string (RFC 10008).
 *
 * ```ts
 * const lists = modelRules(view, modelFormat).filter((rule) => rule.operation === 'GetList')
 * const rules = lists.flatMap((rule) => withQuery(rule))
 * ```
 */
export function withQuery<Name extends QueriedOperation>(
  rule: PolicyOperationRule<Name>,
): readonly PolicyOperationRule<Name>[] {
  const { response } = rule
  return [
    rule,
    Object.freeze({
      ...rule,
      method: 'QUERY' as const,
      request: queryRequest,
      response: { ...response, headers: { ...response.headers, location: 'sometimes' as const } },
    }),
  ]
}
