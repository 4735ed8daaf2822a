import type { TableLayout } from '../sql/layout.ts'
import type { StoreOpenOptions } from '../store.ts'
import { backfillChangedInBatches, backfillInBatches } from './backfill-items.ts'
import type { Connection } from './connection.ts'
import type { GroupCommit } from './group-commit.ts'
import { type BatchedRecomputation, recomputeInBatches } from './recompute-in-batches.ts'
import { layoutInFile } from './renamed-tables.ts'

/**
 * Does in batches what can be done before the transaction that brings all items into the form of
 * their models, so that processes of the old version wait for little.
 *
 * @returns for `finishRecomputation`, the run of each layout whose derived values were made again
 */
export async function fillTables(
  commits: GroupCommit,
  writer: Connection,
  layouts: readonly TableLayout[],
  onProgress: StoreOpenOptions['onProgress'],
): Promise<ReadonlyMap<TableLayout, string>> {
  const recomputed = new Map<TableLayout, BatchedRecomputation>()
  const presentOf = (layout: TableLayout) => () => layoutInFile(writer, layout, layouts)
  for (const layout of layouts) {
    await backfillInBatches(commits, writer, presentOf(layout), onProgress)
    const recomputation = await recomputeInBatches(commits, writer, presentOf(layout), onProgress)
    if (recomputation) recomputed.set(layout, recomputation)
  }
  // Others have changed items of one table while the next ones were filled in.
  for (const layout of layouts) {
    await backfillChangedInBatches(commits, writer, presentOf(layout))
    await recomputed.get(layout)?.recomputeChanged()
  }
  return new Map([...recomputed].map(([layout, { run }]) => [layout, run]))
}
