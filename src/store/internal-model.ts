import { field } from '../model/declare/field.ts'
import { model } from '../model/declare/model.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { JsonType } from '../schema/json-schema.ts'
import type { Schema } from '../schema/standard-schema.ts'

/** The types of the fields of an internal model. */
export interface InternalFields {
  readonly [name: string]: JsonType | { readonly type: JsonType; readonly isIndexed: true }
}

/**
 * A model whose items only the library reads and writes. No policy gets it. Its name and its table
 * begin with `_`, which those of a model of a service do not, so both may have the same words.
 * @param indexes over several fields, as the option of models
 */
export function internalModel(
  name: string,
  plural: string,
  fields: InternalFields,
  indexes: readonly (readonly string[])[] = [],
): ModelDescription {
  const definitions = Object.entries(fields).map(([member, type]) => [
    member,
    typeof type === 'string'
      ? uncheckedSchema(type)
      : field(uncheckedSchema(type.type), { index: true }),
  ])
  const [description] = describeModels([model(name, Object.fromEntries(definitions), { indexes })])
  return Object.freeze({
    ...description!,
    name: `_${name}`,
    plural: `_${plural}`,
    storage: { ...description!.storage, table: { schema: undefined, name: `_${plural}` } },
  })
}

/** No model of a service has such a name. */
export function isInternalModel({ name }: ModelDescription): boolean {
  return name.startsWith('_')
}

/**
 * Is it a collection or a table of an internal model? This process may not have the feature that
 * another process keeps it for, so it is never data that no model has.
 */
export function isInternalCollection(name: string): boolean {
  return name.startsWith('_')
}

/** A schema that accepts anything, because only the library writes these items. */
function uncheckedSchema(type: JsonType): Schema {
  return {
    '~standard': {
      version: 1,
      vendor: 'resourcery',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type }), output: () => ({ type }) },
    },
  } as Schema
}
