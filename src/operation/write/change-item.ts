import type { ErrorCode } from '../../error/catalog.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import { itemSizeErrors } from '../../store/item-size-limit.ts'
import {
  createStoredItem,
  hasSameContent,
  readStoredValues,
} from '../../stored-item/create-stored-item.ts'
import { withDerivedValuesOfChange } from '../../stored-item/derived-values.ts'
import { valuesWithRollupsOf } from '../../stored-item/rollup-values.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { withChangeTime, withTimesOf } from '../../stored-item/timestamps.ts'
import { keepUndeclaredMembers } from '../../stored-item/undeclared-members.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import type { UnitWriteOptions } from '../unit-of-work/unit-writer.ts'
import { immutableItemErrors, refuseImmutableChange } from './immutable-item.ts'
import { immutableMemberErrors, refuseImmutableMembers } from './immutable-members.ts'
import { isKeyChange, keyChange, writeOutcomeErrors, writtenItem } from './write-outcome.ts'

export const changeItemErrors: readonly ErrorCode[] = [
  ...writeOutcomeErrors,
  ...itemSizeErrors,
  // The checks of whole items declare these, for models that have something immutable.
  ...withoutErrors(immutableItemErrors, ['conflict']),
  ...withoutErrors(immutableMemberErrors, ['forbidden']),
]

export interface ChangeOptions extends Pick<UnitWriteOptions, 'rest'> {
  /** Does the item get a new version in any case? Default: false. */
  readonly isNewVersion?: boolean
  /**
   * Members that count as changed, whatever is stored, because the caller does not see them.
   * Default: none.
   */
  readonly unseenChanges?: ReadonlySet<string>
}

/**
 * Writes the values, unless they equal the stored ones: the version stays then. It would tell a
 * client that it guessed a member that it does not see, so such a change is always written.
 */
export async function changeItem(
  transaction: UnitOfWork,
  model: ModelDescription,
  storedItem: StoredItem,
  values: StoredValues,
  payload?: ItemPayload,
  { isNewVersion = false, unseenChanges, ...options }: ChangeOptions = {},
): Promise<StoredItem> {
  const changesUnseen = unseenChanges !== undefined && unseenChanges.size > 0
  if (changesUnseen) {
    const before = readStoredValues(model, storedItem)
    refuseImmutableChange(model, before, values, payload, unseenChanges)
    refuseImmutableMembers(model, before, values, payload, unseenChanges)
  }
  const item = changedItem(model, storedItem, values, isNewVersion || changesUnseen)
  if (!item) return storedItem
  const outcome = await transaction.replace(model, item, options)
  if (outcome.kind === 'exists') throw new Error('A replacement cannot take an id.')
  if (outcome.kind === 'refused' && isKeyChange(model, outcome.fields))
    throw keyChange(model, outcome.fields, payload)
  return writtenItem(model, outcome, payload)
}

/** Undefined if the item stays as it is. The time of a change is no change by itself. */
function changedItem(
  model: ModelDescription,
  storedItem: StoredItem,
  values: StoredValues,
  isNewVersion: boolean,
): StoredItem | undefined {
  const readStored = () => readStoredValues(model, storedItem)
  const create = (members: StoredValues, salt?: string) => {
    const complete = withDerivedValuesOfChange(model, members, readStored)
    const item = createStoredItem(model, complete, storedItem.revision + 1, salt)
    return keepUndeclaredMembers(model, item, storedItem)
  }
  const isComputed = model.rollupFields.length > 0
  if (model.timestampFields.length === 0 && !isComputed) {
    const item = create(values)
    return !isNewVersion && hasSameContent(item, storedItem) ? undefined : item
  }
  const stored = readStored()
  const next = valuesWithRollupsOf(model, withTimesOf(model, values, stored), stored)
  if (!isNewVersion && hasSameContent(create(next, ''), storedItem)) return undefined
  return create(withChangeTime(model, next))
}
