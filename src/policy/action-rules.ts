import type { ActionDescription } from '../model/action-description.ts'
import type { ModelView } from '../model/model-view.ts'
import { type Contents, noContents } from '../rule/contents.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { InputRequest } from '../rule/request-shape.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { PolicyRule } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { actionSchemas, exampleInput } from './action-schemas.ts'
import { createRuleMaker } from './rule-maker.ts'

/** How a protocol carries the input and output of actions. */
export interface ActionFormat
  extends Pick<InputRequest, 'mediaTypes' | 'parameters' | 'missingRelatedError' | 'read'> {
  /** Members of the input whose names match this pattern are ignored. */
  readonly ignoredNamePattern?: string
  /** @param example makes an example input; undefined if there is none */
  inputContents(input: JsonSchema, isOptional: boolean, example: () => unknown): Contents
  outputResponse(output: JsonSchema): Pick<ResponseShape, 'contents' | 'description'>
}

/** The response of an action without an output, and its query parameters. */
export interface ActionResponses {
  readonly itemResponse: ResponseShape
  readonly parameters: readonly QueryParameter[]
}

const operationsByKind = { method: 'ItemMethodApiOperation', callable: 'ItemApiOperation' } as const

/**
 * One rule for each action of a model. Protocols differ in the formats of input and output only.
 *
 * ```ts
 * const rules = actionRules(view, actionFormat, {
 *   itemResponse,
 *   parameters: itemParameters(view, views, limits),
 * })
 * ```
 */
export function actionRules(
  view: ModelView,
  format: ActionFormat,
  responses: ActionResponses,
): readonly PolicyRule[] {
  return view.actions.map((action) => ruleOf(view, action, format, responses))
}

function ruleOf(
  view: ModelView,
  action: ActionDescription,
  format: ActionFormat,
  responses: ActionResponses,
): PolicyRule {
  const { name, operationId, description, run } = action
  const { itemResponse, parameters } = responses
  const { inputContents, outputResponse, ignoredNamePattern, ...body } = format
  const { input, output, isOptional } = actionSchemas(view, action, ignoredNamePattern)
  const request: InputRequest = {
    ...body,
    kind: 'input',
    contents: input ? inputContents(input, isOptional, () => exampleInput(action)) : noContents,
    isOptional,
    errors: [],
  }
  const response: ResponseShape = output
    ? {
        ...outputResponse(output),
        status: 200,
        parameters: format.parameters,
        serializer: itemResponse.serializer,
        content: 'output',
        headers: { etag: 'sometimes' },
      }
    : itemResponse
  const rule = createRuleMaker(
    {
      view,
      ...(operationId !== undefined && { operationId }),
      ...(description !== undefined && { description }),
    },
    { item: parameters },
  )
  return rule(
    operationsByKind[run.kind],
    { kind: 'action', action },
    'POST',
    `/${view.model.plural}/:id/${name}`,
    request,
    response,
  )
}
