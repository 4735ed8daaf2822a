import type { OwnedRelation, ValueField } from '../../model/model-description.ts'
import { isWritable, type ModelView } from '../../model/model-view.ts'

/** A client cannot send back what it cannot see, so a payload without the member keeps it. */
export function isHiddenFromClients(view: ModelView, field: ValueField | OwnedRelation): boolean {
  if (view.isForService) return false
  return (
    view.hiddenNames.has(field.wireName) ||
    (field.kind === 'value' && field.visibility !== 'visible')
  )
}

/** Whether no client can set the member. */
export function isServerOnly(view: ModelView, field: ValueField): boolean {
  return !view.isForService && (field.visibility === 'readOnly' || !isWritable(view, field))
}
