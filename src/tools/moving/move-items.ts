import type { ModelDescription } from '../../store/public.ts'
import { ItemCheck, missedItems } from './check-items.ts'
import { ItemCollector } from './item-collector.ts'
import type { ItemSource, MovedItem } from './item-source.ts'
import type { MovableStore, MoveOptions, MoveReport } from './move-options.ts'
import type { ModelPlan } from './move-plan.ts'
import { type Move, writeItems } from './write-items.ts'
import { writeRelations } from './write-relations.ts'

/**
 * Copies the items of a source into a store, then the relations that had to wait for other items,
 * and compares the copies. What the target has already is not written again, so that a copy that
 * was interrupted goes on where it was.
 */
export async function moveItems(
  source: ItemSource,
  target: MovableStore,
  plans: readonly ModelPlan[],
  { overwrite = false, onProgress }: MoveOptions,
): Promise<MoveReport> {
  const conflicts = new ItemCollector()
  const move: Move = { source, target, plans, overwrites: overwrite, conflicts }
  const counts = await source.count()
  let writtenCount = 0
  let copiedBytes = 0
  const run = async (
    stage: 'write' | 'relate' | 'check',
    work: (batch: readonly MovedItem[]) => Promise<unknown>,
    models?: ReadonlySet<ModelDescription>,
  ): Promise<void> => {
    const total = sum([...(models ?? counts.keys())].map((model) => counts.get(model)!))
    let itemCount = 0
    for await (const batch of source.items(models)) {
      await work(batch)
      itemCount += batch.length
      onProgress?.({ stage, itemCount, totalCount: total })
    }
  }
  await run('write', async (batch) => {
    const result = await writeItems(move, batch)
    writtenCount += result.writtenCount
    copiedBytes += result.copiedBytes
  })
  const deferring = plans.filter(({ deferred }) => deferred.length > 0)
  if (deferring.length > 0) {
    const models = new Set(deferring.map(({ model }) => model))
    await run('relate', (batch) => writeRelations(move, batch), models)
  }
  const differing = new ItemCollector()
  const check = new ItemCheck(target, differing)
  await run('check', (batch) => check.check(batch))
  return {
    itemCounts: Object.fromEntries([...counts].map(([model, count]) => [model.name, count])),
    writtenCount,
    copiedBytes,
    resourceCount: check.resourceCount,
    conflicts: conflicts.list(),
    differences: differing.list(),
    missedCount: missedItems(check.counts, await source.count()),
    sha256: check.sha256(),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
