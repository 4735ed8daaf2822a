import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import type { Condition } from '../../query/query-plan.ts'
import { findVersions } from '../../store/history/version-table.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { VersionInput } from '../operation-input.ts'
import { type SeenVersion, seeVersions } from './see-versions.ts'

const ownErrors = ['not-found'] as const

export const findSeenVersionErrors: readonly ErrorCode[] = [...ownErrors]

const { refuse } = refusalsOf(ownErrors)

/**
 * Finds the version in the path. One that the caller may not see is reported like one that does
 * not exist, and so is one that lists leave out.
 * @param condition what a version that the caller sees satisfies
 * @throws ApiError `not-found`
 */
export async function findSeenVersion(
  reader: StoreReader,
  input: VersionInput,
  condition: Condition = input.plan.condition,
): Promise<SeenVersion> {
  const { view, context } = input
  const text = context.params.number ?? ''
  const number = digits.test(text) ? Number(text) : 0
  const versions = await findVersions(reader, view.model, context.id!, {
    below: number + 1,
    limit: 2,
  })
  const count = versions[0]?.number === number ? 1 : 0
  const [seen] = await seeVersions(reader, input, versions.slice(0, 2 * count), count, condition)
  if (seen) return seen
  throw refuse(
    'not-found',
    `The ${view.model.name} '${truncate(context.id!, 128)}' has no version '${truncate(text, 32)}'.`,
  )
}

/** Numbers that no store refuses. */
const digits = /^[1-9]\d{0,14}$/
