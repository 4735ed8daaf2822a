import { memoizeBy } from '../cache/memoize-by.ts'
import type { UnreadChanges } from '../operation/changes/unread-changes.ts'
import type { ChangesContext } from './response-context.ts'

/** The same for all streams with the same text; undefined for one that may differ from others. */
export function sharedKeyOf(
  { endpoint, selection }: ChangesContext,
  { sharedKey }: UnreadChanges,
): string | undefined {
  if (sharedKey === undefined) return undefined
  const fields = [...selection.fields].map(([plural, names]) => [plural, ...names])
  return [sharedKey, keyOf(endpoint), JSON.stringify(fields)].join(' ')
}

let keys = 0

/** Tells the endpoints of a process apart. */
const keyOf = memoizeBy((_endpoint: object): string => String(keys++))
