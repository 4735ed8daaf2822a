import type { ActionDescription } from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import {
  type Contents,
  type InputRequest,
  type ModelRule,
  noContents,
  type ResponseShape,
} from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { actionSchemas, exampleInput } from './action-schemas.ts'
import { createRuleMaker } from './rule-maker.ts'

/** How a protocol carries what actions take and give. */
export interface ActionFormat
  extends Pick<InputRequest, 'mediaTypes' | 'parameters' | 'missingRelatedError' | 'read'> {
  /** A pattern of names that are passed over in what is taken. */
  readonly ignoredNamePattern?: string
  /** @param example of what is taken, where there is one */
  inputContents(input: JsonSchema, isOptional: boolean, example: () => unknown): Contents
  outputResponse(output: JsonSchema): Pick<ResponseShape, 'contents' | 'description'>
}

/** What an action answers that gives nothing, and what may be asked of it. */
export interface ActionResponses {
  readonly itemResponse: ResponseShape
  readonly parameters: readonly QueryParameter[]
}

const operationsByKind = { method: 'ItemMethodApiOperation', callable: 'ItemApiOperation' } as const

/**
 * One rule for each action of a model: alike in every protocol but for the form of what is sent and
 * answered.
 */
export function actionRules(
  view: ModelView,
  form: ActionFormat,
  answers: ActionResponses,
): readonly ModelRule[] {
  return view.actions.map((action) => ruleOf(view, action, form, answers))
}

function ruleOf(
  view: ModelView,
  action: ActionDescription,
  form: ActionFormat,
  answers: ActionResponses,
): ModelRule {
  const { name, operationId, description, run } = action
  const { itemResponse, parameters } = answers
  const { inputContents, outputResponse, ignoredNamePattern, ...body } = form
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
        parameters: form.parameters,
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
