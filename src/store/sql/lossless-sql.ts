import { comparedAs, type ScalarType } from '../../model/value-type.ts'
import type { Dialect } from './dialect.ts'
import type { NativeForm } from './table.ts'

/** A value of a group, as clients see it: a number, or JSON text. */
export function losslessSql(
  dialect: Dialect,
  native: NativeForm | undefined,
  value: string,
  type: ScalarType,
): string {
  // Positions have instants in the form of the engine, which clients do not get.
  if (native && comparedAs(type) === 'instant') return dialect.textAsJson(native.text(value))
  if (native) return native.json?.(value) ?? native.lossless(value)
  return type.kind === 'number' || type.kind === 'integer' ? value : dialect.textAsJson(value)
}
