import type { ErrorCode } from '../error/catalog.ts'
import type { OperationInput } from './operation-input.ts'
import type { KeptPage } from './operation-result.ts'

export const keptPageErrors: readonly ErrorCode[] = ['invalid-cursor']

/** Entries that one request reads at most. A page may have fewer, or none, and yet a next page. */
const maxReadEntries = 1_000

/** How many entries are read at once. */
const batchSize = 100

/** Entries that the store has in an order, and of which a caller may not see some. */
export interface KeptEntries<Kept> {
  /** At most `limit` entries after a position, each as the caller sees it. */
  read(after: string | undefined, limit: number): Promise<readonly KeptEntry<Kept>[]>
}

export interface KeptEntry<Kept> {
  readonly position: string
  /** Undefined if the caller does not see it. */
  readonly shown: Kept | undefined
}

/**
 * The page of the request: the entries that the caller sees. There is a next page only if the
 * caller sees an entry of it, so that pages do not tell of hidden ones.
 */
export async function keptPage<Kept>(
  { plan: { pageRange } }: Pick<OperationInput, 'plan'>,
  { read }: KeptEntries<Kept>,
): Promise<KeptPage<Kept>> {
  const size = Math.min(pageRange.limit, maxReadEntries)
  let position = pageRange.kind === 'after' ? String(pageRange.position[0] ?? '') : undefined
  const entries: Kept[] = []
  let lastShown: string | undefined
  for (let count = 0; count < maxReadEntries; ) {
    // Most callers see all entries, and one more says whether there is a next page.
    const wanted = count === 0 ? size + 1 : batchSize
    const limit = Math.min(wanted, batchSize, maxReadEntries - count)
    const batch = await read(position, limit)
    for (const { position: next, shown } of batch) {
      position = next
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
