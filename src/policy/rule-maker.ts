import { errorResponses } from '../rule/error-responses.ts'
import type { ModelOperation } from '../rule/operations.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { Method, ModelRule, RequestShape, ResponseShape } from '../rule/rule.ts'

/** What may be asked of an answer, by what it holds; nothing where nothing is said. */
export type ParametersByContent = {
  readonly [content in ResponseShape['content']]?: readonly QueryParameter[]
}

export type RuleMaker = (
  operation: ModelOperation,
  method: Method,
  path: string,
  request: RequestShape,
  response: ResponseShape,
  otherResponses?: readonly ResponseShape[],
) => ModelRule

/**
 * Makes the rules about one model, or about one relation or action of its: each frozen, with the
 * errors it can lead to.
 */
export function createRuleMaker(
  about: Pick<
    ModelRule,
    'view' | 'relationTarget' | 'resourceTarget' | 'action' | 'operationId' | 'description'
  >,
  parameters: ParametersByContent,
): RuleMaker {
  return (operation, method, path, request, response, otherResponses = []) => {
    const rule = {
      ...about,
      operation,
      method,
      path,
      parameters: parameters[response.content] ?? [],
      request,
      response,
    }
    return Object.freeze({
      ...rule,
      otherResponses,
      errorResponses: errorResponses(rule),
      declarations: [],
    })
  }
}
