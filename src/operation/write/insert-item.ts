import type { ApiError } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { findDeepestExisting, formatPointer } from '../../http/json/json-pointer.ts'
import { isKeyOfFields, keyFields } from '../../model/key-fields.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { toWordsWithArticle } from '../../model/naming.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import { itemSizeErrors } from '../../store/item-size-limit.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import { withDerivedValues } from '../../stored-item/derived-values.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { withCreationTime } from '../../stored-item/timestamps.ts'
import { capitalize } from '../../text/message-text.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import type { UnitWriteOptions } from '../unit-of-work/unit-writer.ts'
import { writeHookErrors } from '../write-hooks/hook-observer.ts'
import { writeOutcomeErrors, writtenItem } from './write-outcome.ts'

const ownErrors = ['already-exists', 'invalid-member'] as const

export const insertItemErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...writeOutcomeErrors,
  ...itemSizeErrors,
  ...writeHookErrors,
]

const { createApiError } = refusalsOf(ownErrors)

/** @throws ApiError `already-exists` or `value-taken` */
export async function insertItem(
  unit: UnitOfWork,
  model: ModelDescription,
  values: StoredValues,
  payload: ItemPayload,
  options: UnitWriteOptions,
): Promise<StoredItem> {
  const newValues = withDerivedValues(model, withCreationTime(model, values))
  const outcome = await unit.insertValues(model, newValues, options)
  if (outcome.kind === 'exists') throw alreadyExists(model, payload)
  const isIdRefused = outcome.kind === 'refused' && outcome.fields.includes('id')
  if (isIdRefused && options.id === 'proposed') throw idMissing(model, payload)
  if (isIdRefused && payload.id === undefined && payload.newId !== undefined)
    throw selfRelated(model, payload)
  return writtenItem(model, outcome, payload)
}

/** Nothing in the payload makes an id that the table can have. */
function idMissing(model: ModelDescription, { document, steps }: ItemPayload): ApiError {
  const alternative = isKeyOfFields(model) ? ', or values for all fields of this key' : ''
  return createApiError(
    'invalid-member',
    `A new ${model.name} needs an 'id' that fits the key of its table${alternative}.`,
    { pointer: findDeepestExisting(document, steps) },
  )
}

function selfRelated({ name }: ModelDescription, { document, memberSteps }: ItemPayload): ApiError {
  return createApiError(
    'invalid-member',
    `The database makes the id of a new ${name}, so it cannot relate to itself yet. Set the relation in a later operation.`,
    { pointer: findDeepestExisting(document, memberSteps.relations) },
  )
}

export function alreadyExists(model: ModelDescription, { id }: ItemPayload): ApiError {
  const source = id && { pointer: formatPointer(id.steps) }
  const article = capitalize(toWordsWithArticle(model.name))
  // An id that the client did not choose is the values of these fields.
  if (!id && isKeyOfFields(model)) {
    const names = keyFields(model)
      .filter((field) => field.kind === 'toOne' || isShown(field))
      .map(({ wireName }) => `'${wireName}'`)
    const values = names.length === 0 ? 'this key' : `the same ${names.join(' and ')}`
    return createApiError(
      'already-exists',
      `${article} with ${values} already exists. Send another value, or update the existing one.`,
    )
  }
  return createApiError(
    'already-exists',
    `${article} with ${id ? `the id '${truncate(id.value, 128)}'` : 'this id'} already exists. Choose another id, or update the existing one.`,
    source,
  )
}
