import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { WriteOutcome } from '../../store/store.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { valueTaken, valueTakenErrors } from './value-taken.ts'

/** What a rule of the database refuses although it has passed validation. */
const ownErrors = ['invalid-member', 'related-not-found'] as const

export const writeOutcomeErrors: readonly ErrorCode[] = [...ownErrors, ...valueTakenErrors]

const { createApiError } = refusalsOf(ownErrors)

/**
 * The item as it is stored.
 * @throws ApiError `value-taken`, or `invalid-member` or `related-not-found` where a rule of the
 * database refuses the item
 */
export function writtenItem(
  model: ModelDescription,
  outcome: Exclude<WriteOutcome, { kind: 'exists' }>,
  payload: ItemPayload | undefined,
): StoredItem {
  switch (outcome.kind) {
    case 'written':
      return outcome.item
    case 'taken':
      throw valueTaken(model, outcome.field, payload)
    case 'missing': {
      const wireName = model.fieldsByName.get(outcome.field)!.wireName
      const detail = `'${wireName}' leads to an item that does not exist.`
      throw createApiError('related-not-found', detail)
    }
    case 'refused':
      throw createApiError('invalid-member', `${refusedSubject(model, outcome.field)}.`)
  }
}

/** A client must not learn the names of hidden fields. */
function refusedSubject(model: ModelDescription, name: string | undefined): string {
  const field = name === undefined ? undefined : model.fieldsByName.get(name)
  const isNamed = field && (field.kind !== 'value' || isShown(field))
  return isNamed
    ? `'${field.wireName}' violates a rule of the database`
    : `The ${model.name} violates a rule of the database`
}
