import type { FieldDefinition } from '../../model/declare/field.ts'
import type { AnyModel } from '../../model/declare/model.ts'
import { describeValue } from '../../model/describe/describe-value.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { type Schema, validate } from '../../schema/standard-schema.ts'
import { toStoredValue } from '../../stored-item/code-values.ts'

/** A field that a factory may have to give a value. */
export type FactoryField =
  | {
      readonly kind: 'value'
      readonly name: string
      readonly isRequired: boolean
      readonly schema: JsonSchema
      /** What is wrong with a value; undefined if it is valid, or the schema is asynchronous. */
      check(value: unknown): string | undefined
    }
  | { readonly kind: 'relation'; readonly name: string; readonly isRequired: boolean }

/** @throws RegistrationError if a field is invalid */
export function factoryFields({ modelName, fields }: AnyModel): readonly FactoryField[] {
  return Object.entries(fields).flatMap(([name, definition]): FactoryField[] => {
    if ('~standard' in definition || definition.kind === 'value')
      return [valueField(modelName, name, definition)]
    if (definition.kind !== 'toOne') return []
    return [{ kind: 'relation', name, isRequired: !definition.options.optional }]
  })
}

function valueField(
  modelName: string,
  name: string,
  definition: Extract<FieldDefinition, Schema | { readonly kind: 'value' }>,
): FactoryField {
  const [schema, options, made] =
    '~standard' in definition
      ? [definition, {}]
      : [definition.schema, definition.options, definition]
  const subject = `the field '${name}' of the model '${modelName}'`
  const computed = made?.computed?.kind === 'derived' ? made.computed : undefined
  const field = describeValue(subject, name, schema, options, { computed })
  const { input, examples } = field
  // The same example for each item would not be unique.
  const isUnique = 'unique' in options && options.unique === true
  return {
    kind: 'value',
    name,
    isRequired: field.isRequiredInRequest,
    schema: isUnique ? { ...input, examples: [] } : { ...input, examples },
    check(value) {
      const result = validate(field.schema, toStoredValue(field, value))
      if (result instanceof Promise || result.kind === 'valid') return undefined
      return result.issues.map(({ message }) => message).join('; ')
    },
  }
}
