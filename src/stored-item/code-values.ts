import { isDeepStrictEqual } from 'node:util'
import { dateCodec } from '../model/declare/date-time.ts'
import type { ModelDescription, ValueField } from '../model/model-description.ts'
import { isRelation } from '../model/relation-kinds.ts'
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
  for (let index = 0; index < names.length; index++) {
    const field = owner.fieldsByName.get(names[index]!)
    if (field && isRelation(field)) owner = field.relatedModel
    else if (field?.kind !== 'value' || value === null) return value
    else return toStoredMember(field, names, index + 1, value)
  }
  return value
}

/** @param start where the names of the members begin */
function toStoredMember(
  { codec, type }: ValueField,
  names: readonly string[],
  start: number,
  value: unknown,
): unknown {
  if (codec && start === names.length) return codec.encode(value)
  const ofMember = memberType(type, names, start)
  if (isInstant(ofMember)) return dateCodec.encode(value)
  if (codec && ofMember.kind === 'text' && typeof value !== 'string')
    throw new TypeError(
      `'${names.join('.')}' is stored as text by a codec. Compare it with the text.`,
    )
  return value
}

/**
 * How values that queries for the model compare with are stored. A class, because many requests
 * create one, and its methods are shared.
 */
export class StoredOperands implements OperandSource {
  readonly model: ModelDescription

  constructor(model: ModelDescription) {
    this.model = model
  }

  toStored(path: FieldPath, value: unknown): unknown {
    return toStoredOperand(this.model, path, value)
  }

  related({ names }: FieldPath): OperandSource {
    const owner = names.reduce<ModelDescription | undefined>((current, name) => {
      const field = current?.fieldsByName.get(name)
      return field && isRelation(field) ? field.relatedModel : undefined
    }, this.model)
    return owner ? new StoredOperands(owner) : {}
  }
}

function memberType(type: ValueType, names: readonly string[], start: number): ValueType {
  let member = type
  for (let index = start; index < names.length; index++)
    member = (member.kind === 'struct' && member.members.get(names[index]!)?.type) || {
      kind: 'opaque',
    }
  return member
}
