import type { ModelOperation } from '../rule/operations.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { RequestByOperation } from '../rule/request-shape.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { Method, PolicyOperationRule, PolicyRule } from '../rule/rule.ts'
import type { TargetByOperation } from '../rule/target.ts'

/** Query parameters by the content of the response; none for contents without an entry. */
export type ParametersByContent = {
  readonly [content in ResponseShape['content']]?: readonly QueryParameter[]
}

export type RuleMaker = <Name extends ModelOperation>(
  operation: Name,
  target: TargetByOperation[Name],
  method: Method,
  path: string,
  request: RequestByOperation[Name],
  response: ResponseShape,
  otherResponses?: readonly ResponseShape[],
) => PolicyOperationRule<Name>

/**
 * Makes frozen rules about one model.
 *
 * ```ts
 * const rule = createRuleMaker({ view }, { item: itemParameters(view, views, limits) })
 * const path = `/${view.model.plural}/:id`
 * const getItem = rule('GetItem', { kind: 'item' }, 'GET', path, { kind: 'none' }, itemResponse)
 * ```
 */
export function createRuleMaker(
  properties: Pick<PolicyRule, 'view' | 'operationId' | 'description'>,
  parameters: ParametersByContent,
): RuleMaker {
  return (operation, target, method, path, request, response, otherResponses = []) => {
    return Object.freeze({
      ...properties,
      operation,
      target,
      method,
      path,
      parameters: parameters[response.content] ?? [],
      request,
      response,
      otherResponses,
    })
  }
}
