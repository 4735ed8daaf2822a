import { isReadable, type ModelView } from '../model/model-view.ts'
import { isRelation } from '../model/relation-kinds.ts'
import type { FieldPath, SortKey } from '../query/query-plan.ts'
import { sortPathsIn } from '../query/sort-keys.ts'
import type { DocumentServices } from './document-services.ts'

/**
 * Whether cursors of this sort hold values that a client may not see. Middleware may sort by hidden
 * members, or through items that the hooks of another model hide, and mappers may mask values. Such
 * cursors are encrypted, and only encrypted ones are accepted: otherwise a client could test
 * guesses with forged cursors.
 */
export function needsEncryptedCursors(
  services: DocumentServices,
  view: ModelView,
  sort: readonly SortKey[],
): boolean {
  return sort.flatMap(sortPathsIn).some((path) => isPathHidden(services, view, path))
}

function isPathHidden(
  { views, guards, mappers }: DocumentServices,
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
