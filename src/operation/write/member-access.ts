import type { OwnedRelation, ValueField } from '../../model/model-description.ts'
import { isWritable, type ModelView } from '../../model/model-view.ts'

/** A payload without a member that the client cannot see, or cannot set, keeps it. */
export function isKeptWithoutPayload(view: ModelView, field: ValueField | OwnedRelation): boolean {
  if (view.isForService) return false
  return (
    view.hiddenNames.has(field.wireName) ||
    (field.kind === 'value' && (field.visibility !== 'visible' || field.from !== undefined)) ||
    (field.kind === 'toOne' && (field.isReadOnly || field.from !== undefined))
  )
}

/** Whether no client can set the member. */
export function isServerOnly(view: ModelView, field: ValueField): boolean {
  return !view.isForService && (field.visibility === 'readOnly' || !isWritable(view, field))
}
