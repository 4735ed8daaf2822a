import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import type { ModelDescription } from '../../store/public.ts'
import { checkFile } from './check-file.ts'
import { compareItems, missedItems } from './check-items.ts'
import { endLine, headerLine } from './file-format.ts'
import { ItemCollector } from './item-collector.ts'
import { ItemFileWriter } from './item-file-writer.ts'
import type { ItemSource, MovedItem } from './item-source.ts'
import { ListProgress } from './list-progress.ts'
import type { MovableStore, MoveOptions, MoveReport } from './move-options.ts'
import type { ModelPlan } from './move-plan.ts'
import { checkMoveOptions, openSource } from './open-store.ts'
import { type ExportState, resumeFile } from './resume-file.ts'
import { storeItems, storeSource } from './store-source.ts'

/**
 * Writes all items of a store to a file, with the bytes of their binary resources. The file has the
 * name `<file>.partial` until it is whole; an export that was interrupted goes on with it, unless
 * items in it have changed since.
 *
 * ```ts
 * const from = { store: sqlite('books.db') }
 * const report = await exportItems(from, 'books.jsonl', { models: [Book] })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 * @throws Error if the file exists and `overwrite` is not set, or bytes of a resource are missing
 */
export async function exportItems(
  from: MovableStore,
  file: string,
  options: MoveOptions,
): Promise<MoveReport> {
  checkMoveOptions('exportItems()', options)
  if (existsSync(file) && !options.overwrite)
    throw new Error(
      `${file} exists. Choose another name, or write over it with --overwrite (in code: overwrite: true).`,
    )
  const plans = await openSource(from, options.models)
  const partial = `${file}.partial`
  const state = existsSync(partial) ? await resumeFile(partial, plans) : undefined
  let report = await writeFile({ from, plans, partial, options, state })
  // What was written before the interruption has changed since: the file would mix two states.
  if (state && !isUpToDate(report))
    report = await writeFile({ from, plans, partial, options, state: undefined })
  await rename(partial, file)
  return report
}

function isUpToDate({ differences, missedCount }: MoveReport): boolean {
  return differences.count === 0 && missedCount === 0
}

interface Export {
  readonly from: MovableStore
  readonly plans: readonly ModelPlan[]
  readonly partial: string
  readonly options: MoveOptions
  /** What an interrupted export has written. */
  readonly state: ExportState | undefined
}

/** Writes what the file lacks, and compares all of it with the store. */
async function writeFile({ from, plans, partial, options, state }: Export): Promise<MoveReport> {
  const models = plans.map(({ model }) => model)
  const source = storeSource(from.store, from.blobs, plans)
  const counts = new Map(models.map((model) => [model, state?.counts.get(model) ?? 0]))
  const resumedCount = sum(counts.values())
  const totalCount = sum((await source.count()).values())
  const writer = await ItemFileWriter.open(partial, state)
  try {
    if (!state) await writer.write(headerLine(models))
    for await (const batch of storeItems(
      from.store,
      plans,
      state?.progress ?? new ListProgress(),
    )) {
      await writeBatch(writer, source, batch, counts)
      options.onProgress?.({ stage: 'write', itemCount: sum(counts.values()), totalCount })
    }
    await writer.write(endLine({ items: byName(counts), sha256: writer.sha256() }))
    await writer.finish()
  } finally {
    await writer.close()
  }
  const writtenTotal = sum(counts.values())
  const differing = new ItemCollector()
  const content = await checkFile(partial, models, async (items, itemCount) => {
    await compareItems(from.store, items, differing)
    options.onProgress?.({ stage: 'check', itemCount, totalCount: writtenTotal })
  })
  return {
    itemCounts: byName(content.counts),
    writtenCount: writtenTotal - resumedCount,
    resourceCount: content.resourceCount,
    copiedBytes: writer.copiedBytes,
    conflicts: none,
    differences: differing.list(),
    missedCount: missedItems(counts, await source.count()),
    sha256: content.sha256,
  }
}

const none = Object.freeze({ count: 0, first: [] })

async function writeBatch(
  writer: ItemFileWriter,
  source: ItemSource,
  batch: readonly MovedItem[],
  counts: Map<ModelDescription, number>,
): Promise<void> {
  for (const item of batch) {
    await writer.writeItem(source, item)
    counts.set(item.model, counts.get(item.model)! + 1)
  }
}

function byName(counts: ReadonlyMap<ModelDescription, number>): Record<string, number> {
  return Object.fromEntries([...counts].map(([{ name }, count]) => [name, count]))
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}
