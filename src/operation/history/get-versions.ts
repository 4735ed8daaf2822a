import type { ErrorCode } from '../../error/catalog.ts'
import { findVersions, type ItemVersion } from '../../store/history/version-table.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import { keptPage, keptPageErrors } from '../kept-page.ts'
import type { VersionInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { seeVersions } from './see-versions.ts'
import { withCurrentHash } from './with-current-hash.ts'

export const getVersionsErrors: readonly ErrorCode[] = [...findItemErrors, ...keptPageErrors]

/** GetVersions: a page of the versions of the item, the newest first. */
export async function getVersions(input: VersionInput): Promise<OperationResult> {
  const { store, view, plan } = input
  const current = await findItem(store, input)
  const page = await keptPage<ItemVersion>(input, {
    async read(after, limit) {
      const below = numberOf(after)
      // Each one is compared with the one before it.
      const versions = await findVersions(store, view.model, current.id, {
        below,
        limit: limit + 1,
      })
      const count = Math.min(limit, versions.length)
      const seen = await seeVersions(store, input, versions, count, plan.condition)
      return seen.map((each, index) => ({
        position: String(versions[index]!.number),
        shown: each && { ...each.version, item: each.shown },
      }))
    },
  })
  const entries = await withCurrentHash(input, current, page.entries)
  return { kind: 'versions', page: { ...page, entries } }
}

/** Undefined before the first page. A position that no page has made is before all versions. */
function numberOf(position: string | undefined): number | undefined {
  if (position === undefined) return undefined
  const number = Number(position)
  return Number.isSafeInteger(number) ? number : 0
}
