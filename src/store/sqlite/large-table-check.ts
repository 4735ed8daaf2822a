import { performance } from 'node:perf_hooks'
import type { ModelDescription } from '../../model/model-description.ts'
import type { TableOf } from '../sql/table.ts'
import type { Connection } from './connection.ts'

/** The default of `largeTableRows`. */
export const defaultLargeTableRows = 5_000
const recheckMs = 1_000

/**
 * Says which tables are large. Other processes write too, so a small table is counted again after a
 * second, up to the first row too many.
 */
export function largeTableCheck(
  connection: Connection,
  tableOf: TableOf,
  largeTableRows: number,
): (model: ModelDescription) => boolean {
  const largeModels = new Set<string>()
  const checkedAt = new Map<string, number>()
  return (model) => {
    if (largeModels.has(model.name)) return true
    const now = performance.now()
    const lastCheck = checkedAt.get(model.name)
    if (lastCheck !== undefined && now - lastCheck < recheckMs) return false
    checkedAt.set(model.name, now)
    const query = `select count(*) from (select 1 from ${tableOf(model).sql} limit ${largeTableRows + 1})`
    const isLarge = (connection.prepare(query).get([])?.[0] as number) > largeTableRows
    if (isLarge) largeModels.add(model.name)
    return isLarge
  }
}
