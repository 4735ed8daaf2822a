import type { ErrorCode } from '../error/catalog.ts'
import type { OperationInput } from './operation-input.ts'
import type { KeptPage } from './operation-result.ts'

export const keptPageErrors: readonly ErrorCode[] = ['invalid-cursor']

/** Entries that one request reads at most. A page may have fewer, or none, and yet a next page. */
const maxReadEntries = 1_000

/** How many entries one query reads at most. */
const batchSize = 100

/** Entries that the store has in an order, and of which a caller may not see some. */
export interface KeptEntries<Kept> {
  /** At most `limit` entries after a position. */
  read(after: string | undefined, limit: number): Promise<readonly Kept[]>
  /** The entry as the caller sees it; undefined if it does not see it. */
  show(entry: Kept): Promise<Kept | undefined>
  positionOf(entry: Kept): string
}

/** The page of the request: the entries that the caller sees. */
export async function keptPage<Kept>(
  { plan: { pageRange } }: Pick<OperationInput, 'plan'>,
  { read, show, positionOf }: KeptEntries<Kept>,
): Promise<KeptPage<Kept>> {
  const size = Math.min(pageRange.limit, maxReadEntries)
  let position = pageRange.kind === 'after' ? String(pageRange.position[0] ?? '') : undefined
  const entries: Kept[] = []
  for (let count = 0; count < maxReadEntries; ) {
    const limit = Math.min(batchSize, maxReadEntries - count)
    const batch = await read(position, limit)
    for (const [index, entry] of batch.entries()) {
      const shown = await show(entry)
      position = positionOf(entry)
      if (shown) entries.push(shown)
      const isLast = index === batch.length - 1 && batch.length < limit
      if (entries.length === size) return { entries, next: isLast ? undefined : position, size }
    }
    if (batch.length < limit) return { entries, next: undefined, size }
    count += batch.length
  }
  return { entries, next: position, size }
}
