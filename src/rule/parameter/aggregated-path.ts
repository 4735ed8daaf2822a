import { isScalar, plainText, type ScalarType } from '../../model/value-type.ts'
import type { FieldPath } from '../../query/query-plan.ts'
import type { FieldReference } from './resolve-wire-path.ts'

/** A member that is declared for sums and groups. */
export interface AggregatedPath {
  readonly path: FieldPath
  readonly type: ScalarType
  /** Does it lead to an array or to a to-many relation? */
  readonly isMany: boolean
  readonly isRelation: boolean
}

/**
 * The member that these names of the model lead to; undefined if its values cannot be grouped, as
 * those of an object.
 */
export function aggregatedPath(
  names: readonly string[],
  reference: FieldReference,
): AggregatedPath | undefined {
  const path: FieldPath = { names }
  switch (reference.kind) {
    case 'id':
      return { path, type: plainText, isMany: false, isRelation: true }
    case 'relation':
      return { path, type: plainText, isMany: reference.field.kind !== 'toOne', isRelation: true }
    case 'value': {
      const { type, field } = reference
      if (!field.isFilterable) return undefined
      if (isScalar(type)) return { path, type, isMany: false, isRelation: false }
      if (type.kind === 'array' && isScalar(type.items))
        return { path, type: type.items, isMany: true, isRelation: false }
      return undefined
    }
    case 'other':
      return undefined
  }
}
