import { errorResponses } from '../rule/error-responses.ts'
import type { ModelOperation } from '../rule/operations.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type {
  Method,
  ModelRule,
  OperationRule,
  RequestByOperation,
  ResponseShape,
  TargetByOperation,
} from '../rule/rule.ts'

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
) => OperationRule<Name>

/** Makes frozen rules about one model, with the errors that they can lead to. */
export function createRuleMaker(
  properties: Pick<ModelRule, 'view' | 'operationId' | 'description'>,
  parameters: ParametersByContent,
): RuleMaker {
  return (operation, target, method, path, request, response, otherResponses = []) => {
    const rule = {
      ...properties,
      operation,
      target,
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
