import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import type { Condition } from '../../query/query-plan.ts'
import { findVersion, type ItemVersion } from '../../store/history/version-table.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { OperationInput } from '../operation-input.ts'
import { type SeenPastItem, seenPastItem } from '../past-item.ts'

const ownErrors = ['not-found'] as const

export const findSeenVersionErrors: readonly ErrorCode[] = [...ownErrors]

const { refuse } = refusalsOf(ownErrors)

/** A version, and how the caller sees it. */
export interface SeenVersion extends SeenPastItem {
  readonly version: ItemVersion
}

/**
 * Finds the version in the path. One that the caller may not see is reported like one that does
 * not exist.
 * @param condition what a version that the caller sees satisfies
 * @throws ApiError `not-found`
 */
export async function findSeenVersion(
  reader: StoreReader,
  input: OperationInput,
  condition: Condition = input.plan.condition,
): Promise<SeenVersion> {
  const { view, context } = input
  const text = context.params.number ?? ''
  const version = digits.test(text)
    ? await findVersion(reader, view.model, context.id!, Number(text))
    : undefined
  const seen = version && (await seenPastItem(reader, input, version.item, condition))
  if (seen) return { ...seen, version }
  throw refuse(
    'not-found',
    `The ${view.model.name} '${truncate(context.id!, 128)}' has no version '${truncate(text, 32)}'.`,
  )
}

/** Numbers that no store refuses. */
const digits = /^[1-9]\d{0,14}$/
