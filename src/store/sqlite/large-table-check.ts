import { performance } from 'node:perf_hooks'
import type { ModelDescription } from '../../model/model-description.ts'
import type { TableOf } from '../sql/table.ts'
import type { Connection } from './connection.ts'

/**
 * A table with more rows than this is not read as a whole where others wait, unless said otherwise.
 */
export const defaultLargeTableRows = 5_000
const recheckMs = 1_000

/**
 * Tells the large tables. Other processes write too, so no count is kept: a small table is looked
 * at again after a second, and no further than to the first row too many.
 */
export function largeTableCheck(
  connection: Connection,
  tableOf: TableOf,
  largeTableRows: number,
): (model: ModelDescription) => boolean {
  const large = new Set<string>()
  const checkedAt = new Map<string, number>()
  return (model) => {
    if (large.has(model.name)) return true
    const now = performance.now()
    const last = checkedAt.get(model.name)
    if (last !== undefined && now - last < recheckMs) return false
    checkedAt.set(model.name, now)
    const query = `select count(*) from (select 1 from ${tableOf(model).sql} limit ${largeTableRows + 1})`
    const isLarge = (connection.prepare(query).get([])?.[0] as number) > largeTableRows
    if (isLarge) large.add(model.name)
    return isLarge
  }
}
