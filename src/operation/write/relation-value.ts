import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { OwnedRelation } from '../../model/model-description.ts'
import type { ModelView } from '../../model/model-view.ts'
import { toWordsWithArticle } from '../../model/naming.ts'
import type { ItemPayload, LinkagePayload } from '../../serializer/payload.ts'
import type { ItemBase } from './item-base.ts'
import { isKeptWithoutPayload } from './member-access.ts'
import { missingServiceMember, serviceMemberErrors } from './service-members.ts'

const ownErrors = ['invalid-member'] as const

export const relationValueErrors: readonly ErrorCode[] = [...ownErrors, ...serviceMemberErrors]

const { problem } = refusalsOf(ownErrors)

/** The ids of a relation after the write: those of the payload, and hidden ones. */
export function relationValue(
  view: ModelView,
  field: OwnedRelation,
  payload: ItemPayload,
  base: ItemBase,
  problems: Problem[],
): unknown {
  const linkage = payload.relations.get(field.name)
  if (
    base.kind !== 'new' &&
    !linkage &&
    (base.kind === 'merge' || base.kept.has(field.name) || isKeptWithoutPayload(view, field))
  )
    return base.stored[field.name]
  const unseen = base.kind === 'new' ? [] : (base.unseen.get(field.name) ?? [])
  if (linkage?.kind === 'one') return linkage.id.value
  if (linkage?.kind === 'many')
    return withUnseenLinks(
      linkage.ids.map((id) => id.value),
      unseen,
      base,
      field.name,
    )
  if (field.kind === 'toMany') return unseen
  if (unseen.length > 0) return unseen[0]
  if (!field.isOptional)
    problems.push(
      field.isReadOnly && !view.isForService
        ? missingServiceMember(view, field)
        : relationMissing(field, payload, linkage),
    )
  return null
}

/**
 * Hidden ids keep their positions after the visible ids that they followed; visible ids take the
 * order of the payload.
 */
function withUnseenLinks(
  visibleIds: readonly string[],
  unseen: readonly string[],
  base: ItemBase,
  name: string,
): readonly string[] {
  if (unseen.length === 0 || base.kind === 'new') return visibleIds
  const hidden = new Set(unseen)
  const leading: string[] = []
  // Whoever does not see a link may send it again.
  const following = new Map(
    visibleIds.filter((id) => !hidden.has(id)).map((id): [string, string[]] => [id, []]),
  )
  let current = leading
  for (const id of base.stored[name] as readonly string[])
    if (hidden.has(id)) current.push(id)
    else current = following.get(id) ?? current
  return [...leading, ...[...following].flat(2)]
}

function relationMissing(
  field: OwnedRelation,
  payload: ItemPayload,
  linkage: LinkagePayload | undefined,
): Problem {
  const steps = linkage?.kind === 'none' ? linkage.steps : payload.memberSteps.relations
  const detail = `'${field.wireName}' is required; expected the id of ${toWordsWithArticle(field.relatedModel.name)}.`
  return problem('invalid-member', detail, {
    pointer: findDeepestExisting(payload.document, steps),
  })
}
