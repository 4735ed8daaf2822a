import type { ModelDescription } from '../../model/model-description.ts'
import { isScalar, plainText, type ScalarType } from '../../model/value-type.ts'
import type { FieldPath } from '../../query/query-plan.ts'
import { resolveManyPath, resolvePath, resolveScalarPath } from '../resolve-path.ts'

/** What the path of a group leads to. */
export interface GroupedLeaf {
  /** Of a value, or of each member of a list. */
  readonly type: ScalarType
  /** Does it lead to an array or to a to-many relation? */
  readonly isMany: boolean
}

/** @throws TypeError with the path, if it leads to something that has no groups */
export function groupedLeaf(model: ModelDescription, path: FieldPath): GroupedLeaf {
  const { leaf } = resolvePath(model, path)
  const isOne =
    leaf.kind === 'id' || leaf.kind === 'toOne' || (leaf.kind === 'value' && isScalar(leaf.type))
  if (isOne) {
    const { leaf } = resolveScalarPath(model, path)
    return { type: leaf.kind === 'value' ? leaf.type : plainText, isMany: false }
  }
  const { leaf: many } = resolveManyPath(model, path)
  return { type: many.kind === 'value' ? many.type.items : plainText, isMany: true }
}
