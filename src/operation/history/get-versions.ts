import type { ErrorCode } from '../../error/catalog.ts'
import { findVersions, type ItemVersion } from '../../store/history/version-table.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import { keptPage, keptPageErrors } from '../kept-page.ts'
import type { OperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { seenPastItem } from '../past-item.ts'

export const getVersionsErrors: readonly ErrorCode[] = [...findItemErrors, ...keptPageErrors]

/** GetVersions: a page of the versions of the item, the newest first. */
export async function getVersions(input: OperationInput): Promise<OperationResult> {
  const { store, view } = input
  const { id } = await findItem(store, input)
  const page = await keptPage<ItemVersion>(input, {
    read: (after, limit) => findVersions(store, view.model, id, { below: numberOf(after), limit }),
    show: async (version) => {
      const seen = await seenPastItem(store, input, version.item)
      return seen && { ...version, item: seen.shown }
    },
    positionOf: ({ number }) => String(number),
  })
  return { kind: 'versions', page }
}

/** Undefined before the first page. A position that no page has made is before all versions. */
function numberOf(position: string | undefined): number | undefined {
  if (position === undefined) return undefined
  const number = Number(position)
  return Number.isSafeInteger(number) ? number : 0
}
