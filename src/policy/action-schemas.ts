import type { ActionDescription } from '../model/description.ts'
import type { ModelView } from '../model/model-view.ts'
import { pascalOf } from '../model/naming.ts'
import { closed } from '../schema/closed.ts'
import { component, type JsonSchema } from '../schema/json-schema.ts'
import { withoutLocalRefs } from '../schema/local-refs.ts'
import { sampleOf } from '../schema/sample.ts'
import { validate } from '../schema/standard-schema.ts'

/** What an action takes and gives; undefined where it takes nothing, or gives the item. */
export interface ActionSchemas {
  readonly input: JsonSchema | undefined
  readonly output: JsonSchema | undefined
  /** May nothing be sent? */
  readonly isOptional: boolean
}

/** @param ignored a pattern of names that are passed over in what is taken */
export function actionSchemas({ model }: ModelView, action: ActionDescription, ignored?: string): ActionSchemas {
  const name = pascalOf(model.name) + pascalOf(action.name)
  const { input, output } = action
  const named = (suffix: string, schema: () => JsonSchema) => component(name + suffix, 'part', schema)
  return {
    input: input && named('Input', () => closed(withoutLocalRefs(input.json, `${name}Input`), ignored)),
    output: output && named('Output', () => withoutLocalRefs(output.json, `${name}Output`)),
    isOptional: !input || [undefined, {}].some((nothing) => takes(input.schema, nothing)),
  }
}

/** Made of the examples in its schema; undefined where it would not be taken. */
export function exampleInput({ input }: ActionDescription): unknown {
  const example = input && sampleOf(input.json)
  return input && takes(input.schema, example) ? example : undefined
}

function takes(schema: Parameters<typeof validate>[0], value: unknown): boolean {
  const validation = validate(schema, value)
  return !(validation instanceof Promise) && validation.kind === 'valid'
}
