import { conditionOf } from '../../access/field-guards.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { isReadable } from '../../model/model-view.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { andAlso } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { refusedInputErrors, refuseInput } from '../action/refuse-input.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { RestoreVersionInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { changeExisting, changeExistingErrors } from '../write/change-existing.ts'
import { guardedMemberErrors, refuseGuardedField } from '../write/guarded-members.ts'
import { findSeenVersion, findSeenVersionErrors } from './find-seen-version.ts'
import type { SeenVersion } from './see-versions.ts'
import { versionPayload } from './version-payload.ts'

export const restoreVersionErrors: readonly ErrorCode[] = [
  ...refusedInputErrors,
  ...findItemErrors,
  ...findSeenVersionErrors,
  ...guardedMemberErrors,
  ...changeExistingErrors,
]

/**
 * RestoreVersion: replaces the item with a former version, as a PUT with the version as the caller
 * sees it would, and its files too.
 */
export function restoreVersion(input: RestoreVersionInput): Promise<OperationResult> {
  return input.store.write(async (transaction) => {
    refuseInput('restore', input.actionPayload)
    const current = await findItem(transaction, input)
    const seen = await findSeenVersion(transaction, input, visibleVersions(input))
    const payload = await versionPayload(transaction, input, seen)
    const files = await restoredFiles(transaction, input, current, seen)
    return changeExisting(transaction, { ...input, payload }, 'replace', files)
  })
}

/** What a version must satisfy for the caller to read it: it may be another one than can be set. */
function visibleVersions({ guards, view: { model }, context }: RestoreVersionInput): Condition {
  const readVersions = guards.accessOf(model)?.readVersions
  return andAlso(
    guards.itemCondition(model, context, context.id!),
    conditionOf(readVersions, model, context),
  )
}

/**
 * The values with the files of the version, as far as the caller sees them.
 * @throws ApiError `forbidden` for another file in a field that the caller may not set
 */
async function restoredFiles(
  transaction: UnitOfWork,
  input: RestoreVersionInput,
  current: StoredItem,
  { values, masked }: SeenVersion,
): Promise<StoredValues> {
  const { model } = input.view
  const before = readStoredValues(model, current)
  const files: Record<string, unknown> & { id: string } = { ...before }
  for (const field of model.resourceFields) {
    const { name, visibility } = field
    if (visibility !== 'visible' || !isReadable(input.view, field) || masked.has(name)) continue
    if (blobKeyOf(before[name]) === blobKeyOf(values[name])) continue
    await refuseGuardedField(transaction, input, name, current)
    files[name] = values[name]
  }
  for (const { name, nestedResources } of model.valueFields)
    if (nestedResources && !masked.has(name)) files[name] = values[name]
  return files
}

function blobKeyOf(value: unknown): string | undefined {
  return value instanceof StoredResource ? StoredResource.blobKeyOf(value) : undefined
}
