import type { ReadChanges } from '../../store/change-log.ts'
import type { ChangeFeed } from './change-feed.ts'

/** So many changes of the log are read at once. */
export const entriesPerRead = 500

/** No transaction of a request changes more items, unless a limit of the router says so. */
const maxEntriesTogether = 15_000

/** Changes of the log. */
export type ReadTransactions =
  | (Extract<ReadChanges, { kind: 'changes' }> & {
      /** The last transaction may go on after them. */
      readonly isOpen?: boolean
    })
  | Exclude<ReadChanges, { kind: 'changes' }>

/**
 * Reads whole transactions, as far as they are not too large.
 * @param isWithin whether the position is within a transaction, of which a part is enough
 */
export async function readTransactions(
  readPage: ChangeFeed['read'],
  after: string | undefined,
  limit: number,
  isWithin: boolean,
): Promise<ReadTransactions> {
  const read = await readPage(after, limit)
  if (read.kind !== 'changes' || read.isEnd) return read
  const last = read.entries.at(-1)?.transaction
  const end = read.entries.findLastIndex(({ transaction }) => transaction !== last)
  if (end >= 0)
    return { ...read, entries: read.entries.slice(0, end + 1), next: read.entries[end]!.position }
  if (isWithin) return { ...read, isOpen: true }
  let whole = read
  while (!whole.isEnd && whole.entries.length < maxEntriesTogether) {
    const more = await readPage(whole.next, entriesPerRead)
    if (more.kind !== 'changes') return more
    const other = more.entries.findIndex(({ transaction }) => transaction !== last)
    const same = other < 0 ? more.entries : more.entries.slice(0, other)
    whole = {
      ...more,
      entries: [...whole.entries, ...same],
      next: other < 0 ? more.next : (same.at(-1)?.position ?? whole.next),
      isEnd: other < 0 && more.isEnd,
    }
    if (other >= 0) return whole
  }
  return { ...whole, isOpen: !whole.isEnd }
}
