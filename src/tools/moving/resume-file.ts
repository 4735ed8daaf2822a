import { createHash, type Hash } from 'node:crypto'
import type { ModelDescription } from '../../store/public.ts'
import { inLine } from './check-file.ts'
import { headerLine, isBlobLine, isItemLine, parseObject } from './file-format.ts'
import { readLines } from './file-lines.ts'
import { ListProgress } from './list-progress.ts'
import type { ModelPlan } from './move-plan.ts'

/** How far an export got, which may be nowhere. */
export interface ExportState {
  /** The length of the part of the file that is kept. */
  readonly byteCount: number
  readonly hash: Hash
  readonly counts: ReadonlyMap<ModelDescription, number>
  readonly progress: ListProgress
}

/**
 * Reads what an interrupted export has written. What follows the last whole item does not count.
 * @throws Error if it is of another export
 */
export async function resumeFile(
  file: string,
  plans: readonly ModelPlan[],
): Promise<ExportState | undefined> {
  const models = plans.map(({ model }) => model)
  const counts = new Map(models.map((model) => [model, 0]))
  const progress = new ListProgress()
  const runningHash = createHash('sha256')
  let hash = runningHash.copy()
  let byteCount = 0
  let joined: { readonly model: ModelDescription; readonly id: string }[] = []
  for await (const line of readLines(file)) {
    const { number, bytes, offset, isWhole } = line
    if (!isWhole) break
    runningHash.update(bytes).update('\n')
    if (number === 1 && `${bytes}\n` !== headerLine(models))
      throw new Error(`${file} is the beginning of an export of other models. Delete it.`)
    if (isBlobLine(bytes)) continue
    if (number > 1) {
      if (!isItemLine(bytes)) break
      const item = inLine(file, line, () => parseObject(bytes)) as unknown as ItemStart
      joined.push({ model: models.find(({ name }) => name === item.model)!, id: item.item.id })
      if (item.joined) continue
      for (const { model } of joined) counts.set(model, counts.get(model)! + 1)
      noteItems(progress, plans, joined)
      joined = []
    }
    hash = runningHash.copy()
    byteCount = offset + bytes.length + 1
  }
  return byteCount === 0 ? undefined : { byteCount, hash, counts, progress }
}

interface ItemStart {
  readonly model: string
  readonly item: { readonly id: string }
  readonly joined?: boolean
}

/** The last item is the one that its list has got to; the others were taken with it. */
function noteItems(
  progress: ListProgress,
  plans: readonly ModelPlan[],
  items: readonly { readonly model: ModelDescription; readonly id: string }[],
): void {
  const last = items.at(-1)!
  for (const { model } of plans) {
    if (model === last.model) break
    progress.finish(model)
  }
  for (const { model, id } of items.slice(0, -1)) progress.takeEarly(model, id)
  progress.list(last.model, last.id)
}
