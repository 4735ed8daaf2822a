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

/**
 * The page of the request: the entries that the caller sees. There is a next page only if the
 * caller sees an entry of it, so that pages do not tell of hidden ones.
 */
export async function keptPage<Kept>(
  { plan: { pageRange } }: Pick<OperationInput, 'plan'>,
  { read, show, positionOf }: KeptEntries<Kept>,
): Promise<KeptPage<Kept>> {
  const size = Math.min(pageRange.limit, maxReadEntries)
  let position = pageRange.kind === 'after' ? String(pageRange.position[0] ?? '') : undefined
  const entries: Kept[] = []
  let lastShown: string | undefined
  for (let count = 0; count < maxReadEntries; ) {
    const limit = Math.min(batchSize, maxReadEntries - count)
    const batch = await read(position, limit)
    for (const entry of batch) {
      position = positionOf(entry)
      const shown = await show(entry)
      if (!shown) continue
      if (entries.length === size) return { entries, next: lastShown, size }
      entries.push(shown)
      lastShown = position
    }
    if (batch.length < limit) return { entries, next: undefined, size }
    count += batch.length
  }
  return { entries, next: entries.length === size ? lastShown : position, size }
}
