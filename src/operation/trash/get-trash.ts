import type { ErrorCode } from '../../error/catalog.ts'
import { listTrash, type TrashedItem, type TrashPosition } from '../../store/trash/trash-table.ts'
import { type KeptEntry, keptPage, keptPageErrors } from '../kept-page.ts'
import type { OperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { seenPastItem } from '../past-item.ts'

export const getTrashErrors: readonly ErrorCode[] = [...keptPageErrors]

/** GetTrash: a page of the deleted items, the last deleted first. */
export async function getTrash(input: OperationInput): Promise<OperationResult> {
  const { store, view } = input
  const page = await keptPage<TrashedItem>(input, {
    async read(after, limit) {
      const entries: KeptEntry<TrashedItem>[] = []
      for (const trashed of await listTrash(store, view.model, positionOf(after), limit)) {
        const seen = await seenPastItem(store, input, trashed.item)
        entries.push({
          position: `${trashed.deletedMs}/${trashed.key}`,
          shown: seen && { ...trashed, item: seen.shown },
        })
      }
      return entries
    },
  })
  return { kind: 'trash', page }
}

/** A position that no page has made is behind all items. */
function positionOf(text: string | undefined): TrashPosition | undefined {
  if (text === undefined) return undefined
  const slash = text.indexOf('/')
  const deletedMs = Number(text.slice(0, Math.max(slash, 0)))
  return Number.isSafeInteger(deletedMs)
    ? { deletedMs, key: text.slice(slash + 1) }
    : { deletedMs: 0, key: '' }
}
