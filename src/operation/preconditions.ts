import { refusalsOf } from '../error/refusals.ts'
import type { EntityTag } from '../http/headers/entity-tag.ts'
import { failedPreconditionHeader } from '../http/headers/precondition.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { isCurrentVersion } from './current-version.ts'
import type { WriteOperationInput } from './operation-input.ts'
import { shownItem } from './shown-item.ts'

export const preconditionErrors = ['precondition-failed', 'precondition-required'] as const

const { refuse } = refusalsOf(preconditionErrors)

/**
 * Checks the request's preconditions against the item inside the transaction (RFC 9110 §13.2.2).
 * Tags of any representation of the current version match; a weak tag never guards a write.
 * @param isCurrent for tags that are not those of the item
 * @throws ApiError `precondition-failed`, or `precondition-required` if the model requires
 * `If-Match` and the request has none (RFC 6585 §3)
 */
export function checkPreconditions(
  input: Pick<WriteOperationInput, 'view' | 'precondition' | 'requireMatch'>,
  item: StoredItem | undefined,
  isCurrent: (tag: string) => boolean = (tag) => item !== undefined && isCurrentVersion(item, tag),
): void {
  const { name } = input.view.model
  checkPreconditionsOf(input, {
    subject: `the ${name}`,
    exists: item !== undefined,
    matches: ({ value }) => isCurrent(value),
    mismatchDetail: () => mismatchDetail(name, item),
  })
}

/** Checks them against an item as the caller sees it. */
export function preconditionCheck(
  reader: StoreReader,
  input: WriteOperationInput,
): (item: StoredItem) => Promise<void> {
  return async (item) => checkPreconditions(input, await shownItem(reader, input, item))
}

/** What the preconditions of a request are checked against. */
export interface PreconditionSubject {
  /** Its name in messages. */
  readonly subject: string
  readonly exists: boolean
  matches(tag: EntityTag): boolean
  /** Says why `If-Match` does not match. */
  mismatchDetail(): string
}

/** @throws ApiError `precondition-failed` or `precondition-required` */
export function checkPreconditionsOf(
  { precondition, requireMatch }: Pick<WriteOperationInput, 'precondition' | 'requireMatch'>,
  { subject, exists, matches, mismatchDetail }: PreconditionSubject,
): void {
  const { kind } = precondition
  if (exists && requireMatch && (kind === 'none' || kind === 'ifNoneMatch'))
    throw refuse(
      'precondition-required',
      'If-Match is required. Send the ETag of the version you have.',
      { header: 'If-Match' },
    )
  const header = failedPreconditionHeader(precondition, { exists, matches })
  if (header === undefined) return
  const hasNoTags =
    'tags' in precondition && precondition.tags !== 'any' && precondition.tags.length === 0
  const detail =
    header === 'If-None-Match'
      ? `The current version of ${subject} matches If-None-Match.`
      : mismatchDetail()
  throw refuse('precondition-failed', hasNoTags ? noTagDetail : detail, { header })
}

const noTagDetail = 'Invalid If-Match; expected entity tags in double quotes.'

function mismatchDetail(model: string, item: StoredItem | undefined): string {
  if (!item) return `There is no such ${model}.`
  if (item.hash === null)
    return `'${model}' has weak entity tags only, which If-Match never matches. Use If-Match: *.`
  return `The ${model} was changed: If-Match does not match the current version. Fetch it again.`
}
