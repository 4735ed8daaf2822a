import type { TableOf } from '../sql/table.ts'
import type { Engine } from './engine.ts'
import type { ItemQueries } from './item-queries.ts'
import type { ItemTable } from './item-table.ts'
import type { LoggedWrites } from './logged-writes.ts'

export interface TransactionContext {
  readonly engine: Engine
  readonly queries: ItemQueries
  readonly tableOf: TableOf<ItemTable>
  readonly loggedWrites: LoggedWrites
  /** @throws LockedInProcess while other transactions of this process lock these items */
  lockInProcess(keys: readonly string[]): void
}
