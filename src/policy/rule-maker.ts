import { errorResponses } from '../rule/error-responses.ts'
import type { ModelOperation } from '../rule/operations.ts'
import type { Parameter } from '../rule/parameter.ts'
import type { Method, ModelRule, RequestShape, ResponseShape } from '../rule/rule.ts'

/** What may be asked of an answer, by what it holds; nothing where nothing is said. */
export type ParametersByContent = { readonly [content in ResponseShape['content']]?: readonly Parameter[] }

export type RuleMaker = (
  operation: ModelOperation,
  method: Method,
  path: string,
  request: RequestShape,
  response: ResponseShape,
  otherResponses?: readonly ResponseShape[],
) => ModelRule

/** Makes the rules about one model, or about one relation or action of its: each frozen, with the errors it can lead to. */
export function ruleMaker(
  about: Pick<ModelRule, 'view' | 'through' | 'resource' | 'action' | 'operationId' | 'description'>,
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
    return Object.freeze({ ...rule, otherResponses, errorResponses: errorResponses(rule), declarations: [] })
  }
}
