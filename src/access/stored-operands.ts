import type { ModelDescription } from '../model/model-description.ts'
import { isDay, isInstant, type ValueType } from '../model/value-type.ts'
import type { FieldPath, Scalar } from '../query/query-plan.ts'
import { resolvePath } from '../store/resolve-path.ts'
import { toStoredOperand } from '../stored-item/code-values.ts'

/**
 * Values as they are stored at the path. Those of another type are left out: they equal no value
 * there.
 */
export function storedOperands(
  model: ModelDescription,
  path: FieldPath,
  values: readonly unknown[],
): readonly Scalar[] {
  const { leaf } = resolvePath(model, path)
  if (leaf.kind !== 'value')
    return values.flatMap((value) => {
      if (value === null) return [null]
      return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
    })
  const type = leaf.type.kind === 'array' ? leaf.type.items : leaf.type
  return values.flatMap((value) => {
    if (value === null) return [null]
    if (value instanceof Date && isDay(type) && !leaf.field.codec)
      return [value.toISOString().slice(0, 'YYYY-MM-DD'.length)]
    if (value instanceof Date && !isInstant(type) && !leaf.field.codec) return []
    const stored = toStoredOperand(model, path, value)
    return typeof stored === jsTypeOf(type) ? [stored as Scalar] : []
  })
}

function jsTypeOf({ kind }: ValueType): 'string' | 'number' | 'boolean' {
  if (kind === 'number' || kind === 'integer') return 'number'
  return kind === 'boolean' ? kind : 'string'
}
