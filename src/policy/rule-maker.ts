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

/** What may be asked of an answer, by what it holds; nothing where nothing is said. */
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
  about: Pick<ModelRule, 'view' | 'operationId' | 'description'>,
  parameters: ParametersByContent,
): RuleMaker {
  return (operation, target, method, path, request, response, otherResponses = []) => {
    const rule = {
      ...about,
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
