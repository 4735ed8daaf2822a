import { memoizeBy } from '../../cache/memoize-by.ts'
import type { ValueField } from '../../model/model-description.ts'
import { isScalar, type ValueType, valueTypeOf } from '../../model/value-type.ts'
import type { ValidationResult } from '../../schema/standard-schema.ts'
import type { Validations } from '../validations.ts'

/**
 * Validates the value that code has set. An unchanged one stays; undefined while the schema is
 * asynchronous.
 */
export function validateChangedMember(
  validations: Validations,
  field: ValueField,
  value: unknown,
  stored: unknown,
): ValidationResult | undefined {
  if (isSameJson(value, stored) || storesOtherType(field, value)) return { kind: 'valid', value }
  return validations.validate(field.schema, value)
}

export function isSameJson(value: unknown, stored: unknown): boolean {
  if (typeof value !== 'object' && typeof stored !== 'object') return value === stored
  return JSON.stringify(value) === JSON.stringify(stored)
}

/** A schema whose output type differs from its input type cannot read a stored value. */
function storesOtherType(field: ValueField, value: unknown): boolean {
  return changesType(field) && isOfKind(field.type, value)
}

const changesType = memoizeBy(({ input, type }: ValueField): boolean => {
  const { kind } = valueTypeOf(input)
  return kind !== 'opaque' && kind !== type.kind
})

function isOfKind(type: ValueType, value: unknown): boolean {
  if (type.kind === 'integer') return Number.isSafeInteger(value)
  if (type.kind === 'array') return Array.isArray(value)
  if (isScalar(type)) return typeof value === (type.kind === 'text' ? 'string' : type.kind)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
