import type { ActionDescription } from '../model/action-description.ts'
import type { ModelView } from '../model/model-view.ts'
import { toPascalCase } from '../model/naming.ts'
import { closeSchema } from '../schema/close-schema.ts'
import { extractLocalRefs } from '../schema/extract-local-refs.ts'
import { component, type JsonSchema } from '../schema/json-schema.ts'
import { sampleValue } from '../schema/sample-value.ts'
import { validate } from '../schema/standard-schema.ts'

/** The input and output of an action; undefined if it has no input, or returns the item. */
export interface ActionSchemas {
  readonly input: JsonSchema | undefined
  readonly output: JsonSchema | undefined
  /** May a request omit the input? */
  readonly isOptional: boolean
}

/** @param ignoredNamePattern members of the input with such names are ignored */
export function actionSchemas(
  { model }: ModelView,
  action: ActionDescription,
  ignoredNamePattern?: string,
): ActionSchemas {
  const name = toPascalCase(model.name) + toPascalCase(action.name)
  const { input, output } = action
  const named = (suffix: string, schema: () => JsonSchema) =>
    component(name + suffix, 'part', schema)
  return {
    input:
      input &&
      named('Input', () =>
        closeSchema(extractLocalRefs(input.jsonSchema, `${name}Input`), ignoredNamePattern),
      ),
    output: output && named('Output', () => extractLocalRefs(output.jsonSchema, `${name}Output`)),
    isOptional: !input || [undefined, {}].some((nothing) => accepts(input.schema, nothing)),
  }
}

/** An input made of the examples in its schema; undefined if the schema does not accept it. */
export function exampleInput({ input }: ActionDescription): unknown {
  const example = input && sampleValue(input.jsonSchema)
  return input && accepts(input.schema, example) ? example : undefined
}

function accepts(schema: Parameters<typeof validate>[0], value: unknown): boolean {
  const validation = validate(schema, value)
  return !(validation instanceof Promise) && validation.kind === 'valid'
}
