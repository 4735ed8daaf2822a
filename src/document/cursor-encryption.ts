import { isRelation } from '../model/is-relation.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import type { FieldPath, SortKey } from '../query/query-plan.ts'
import type { RouterServices } from './router-services.ts'

/**
 * Whether cursors of the sort hold what a client may not see: middleware may sort by hidden
 * members, or through items that the hooks of their own model, of either phase, keep from some
 * callers; and mappers may show a value as another, such as a masked address. Such cursors are
 * sealed, and only sealed ones are read, or guesses could be tested with forged ones.
 */
export function needsEncryptedCursors(
  parts: RouterServices,
  view: ModelView,
  sort: readonly SortKey[],
): boolean {
  return sort.some(({ path }) => isPathHidden(parts, view, path))
}

function isPathHidden(
  { views, guards, mappers }: RouterServices,
  start: ModelView,
  { names }: FieldPath,
): boolean {
  let view = start
  for (const name of names) {
    if (name === 'id') return false
    const field = view.model.fieldsByName.get(name)
    if (!field || !isReadable(view, field)) return true
    if (mappers.get(view.model)?.length) return true
    if (!isRelation(field)) return false
    if (guards.isRestricted(field.relatedModel)) return true
    view = views.of(field.relatedModel)
  }
  return false
}
