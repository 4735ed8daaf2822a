import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload, Steps } from '../../serializer/payload.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'

/** A member that clients see. */
export interface ShownMember {
  readonly wireName: string
  /** Where the member stands in the payload, or would stand. */
  readonly steps: Steps | undefined
}

/** Undefined for a member that clients do not see. */
export function shownMember(
  model: ModelDescription,
  name: string,
  payload: ItemPayload | undefined,
): ShownMember | undefined {
  if (name === 'id') return { wireName: 'id', steps: payload?.id?.steps ?? payload?.steps }
  const field = model.fieldsByName.get(name)
  if (!field || (field.kind === 'value' && !isShown(field))) return undefined
  if (payload?.hiddenNames?.has(field.wireName)) return undefined
  const { wireName } = field
  if (field.kind === 'value' || field.kind === 'resource')
    return { wireName, steps: payload?.values.get(name)?.steps ?? payload?.memberSteps.values }
  return { wireName, steps: relationSteps(payload, name) }
}

function relationSteps(payload: ItemPayload | undefined, name: string): Steps | undefined {
  const linkage = payload?.relations.get(name)
  return (
    (linkage?.kind === 'one' ? linkage.id.steps : linkage?.steps) ?? payload?.memberSteps.relations
  )
}
