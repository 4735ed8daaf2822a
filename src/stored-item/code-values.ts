import { isDeepStrictEqual } from 'node:util'
import { dateCodec } from '../model/declare/date-time.ts'
import { isRelation, type ModelDescription, type ValueField } from '../model/model-description.ts'
import { isInstant, type ValueType } from '../model/value-type.ts'
import type { OperandSource } from '../query/field-operators.ts'
import type { FieldPath } from '../query/query-plan.ts'
import type { StoredValues } from './stored-item.ts'

/** The values of a stored item as code sees them: where a field has a codec, decoded. */
export function toCodeValues(
  { codedFields }: ModelDescription,
  values: StoredValues,
): StoredValues {
  if (codedFields.length === 0) return values
  const decoded: { id: string; [name: string]: unknown } = { ...values }
  for (const { name, codec } of codedFields)
    if (values[name] !== undefined) decoded[name] = codec.decode(values[name])
  return decoded
}

/**
 * The value that code has set, as it is stored. A value that is still the decoded one stays what is
 * stored: a codec may lose digits that code cannot hold.
 */
export function toStoredValue({ codec }: ValueField, value: unknown, stored?: unknown): unknown {
  if (!codec || value === undefined) return value
  return stored !== undefined && isDeepStrictEqual(value, codec.decode(stored))
    ? stored
    : codec.encode(value)
}

/** The value that code compares the values at a path with, as these are stored. */
export function toStoredOperand(
  model: ModelDescription,
  { names }: FieldPath,
  value: unknown,
): unknown {
  let owner = model
  for (const [index, name] of names.entries()) {
    const field = owner.fieldsByName.get(name)
    if (field && isRelation(field)) owner = field.relatedModel
    else if (field?.kind !== 'value' || value === null) return value
    else {
      const memberNames = names.slice(index + 1)
      if (field.codec && memberNames.length === 0) return field.codec.encode(value)
      const type = memberType(field.type, memberNames)
      if (isInstant(type)) return dateCodec.encode(value)
      if (field.codec && type.kind === 'text' && typeof value !== 'string')
        throw new TypeError(
          `'${names.join('.')}' is stored as text by a codec. Compare it with the text.`,
        )
      return value
    }
  }
  return value
}

/** How values that queries for the model compare with are stored. */
export function storedOperandSource(model: ModelDescription): OperandSource {
  return {
    toStored: (path, value) => toStoredOperand(model, path, value),
    related: ({ names }) => {
      const owner = names.reduce<ModelDescription | undefined>((current, name) => {
        const field = current?.fieldsByName.get(name)
        return field && isRelation(field) ? field.relatedModel : undefined
      }, model)
      return owner ? storedOperandSource(owner) : {}
    },
  }
}

function memberType(type: ValueType, names: readonly string[]): ValueType {
  return names.reduce<ValueType>(
    (outer, name) =>
      (outer.kind === 'struct' && outer.members.get(name)?.type) || { kind: 'opaque' },
    type,
  )
}
