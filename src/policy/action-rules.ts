import type { ActionDescription } from '../model/description.ts'
import type { ModelView } from '../model/model-view.ts'
import type { Parameter } from '../rule/parameter.ts'
import { type Contents, type ModelRule, noContents, type RequestShape, type ResponseShape } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { actionSchemas, exampleInput } from './action-schemas.ts'
import { ruleMaker } from './rule-maker.ts'

type InputShape = Extract<RequestShape, { readonly kind: 'input' }>

/** How a protocol carries what actions take and give. */
export interface ActionForm extends Pick<InputShape, 'mediaTypes' | 'parameters' | 'missingRelated' | 'read'> {
  /** A pattern of names that are passed over in what is taken. */
  readonly ignored?: string
  /** @param example of what is taken, where there is one */
  taken(input: JsonSchema, isOptional: boolean, example: () => unknown): Contents
  given(output: JsonSchema): Pick<ResponseShape, 'contents' | 'description'>
}

/** What an action answers that gives nothing, and what may be asked of it. */
export interface ActionAnswers {
  readonly acted: ResponseShape
  readonly parameters: readonly Parameter[]
}

const operations = { method: 'ItemMethodApiOperation', callable: 'ItemApiOperation' } as const

/** One rule for each action of a model: alike in every protocol but for the form of what is sent and answered. */
export function actionRules(view: ModelView, form: ActionForm, answers: ActionAnswers): readonly ModelRule[] {
  return view.actions.map((action) => ruleOf(view, action, form, answers))
}

function ruleOf(view: ModelView, action: ActionDescription, form: ActionForm, answers: ActionAnswers): ModelRule {
  const { name, operationId, description, run } = action
  const { acted, parameters } = answers
  const { taken, given, ignored, ...body } = form
  const { input, output, isOptional } = actionSchemas(view, action, ignored)
  const request: InputShape = {
    ...body,
    kind: 'input',
    contents: input ? taken(input, isOptional, () => exampleInput(action)) : noContents,
    isOptional,
    errors: [],
  }
  const response: ResponseShape = output
    ? {
        ...given(output),
        status: 200,
        parameters: form.parameters,
        serializer: acted.serializer,
        content: 'output',
        headers: { etag: 'sometimes' },
      }
    : acted
  const rule = ruleMaker(
    {
      view,
      action,
      ...(operationId !== undefined && { operationId }),
      ...(description !== undefined && { description }),
    },
    { item: parameters },
  )
  return rule(operations[run.kind], 'POST', `/${view.model.plural}/:id/${name}`, request, response)
}
