import type { PlacedItem } from '../store/store.ts'
import type { ListJob, Result } from './job.ts'

/** GetList: a page when one is asked for, with a look at whether more follows; else everything, read while it is sent. */
export async function getList(job: ListJob): Promise<Result> {
  const { store, plan, page, form, withCount } = job
  const { model } = job.view
  const total = withCount ? await store.count(model, plan.condition) : undefined
  if (page.kind === 'none') return wholeList(job, total)
  const written = form.kind === 'texts' ? await form.page(model, plan, form.linked, job.context) : undefined
  if (written) return { kind: 'textPage', page: written, total }
  const { limit } = plan.window
  const found = await store.page(model, { ...plan, window: { ...plan.window, limit: limit + 1 } })
  const isFull = found.length > limit
  if (plan.window.kind !== 'before') return { kind: 'page', items: found.slice(0, limit), more: isFull, total }
  // Before a cursor, what lies beyond the page is at its start; and what middleware skips may be there.
  const items = await withoutSkipped(job, isFull ? found.slice(1) : found)
  return { kind: 'page', items, more: isFull && items.length === limit, total }
}

function wholeList({ store, view: { model }, plan, form }: ListJob, total: number | undefined): Result {
  const isAlone = form.kind === 'texts' && form.isStored && form.linked.length === 0
  const texts = isAlone ? store.texts?.list(model, plan) : undefined
  return texts ? { kind: 'texts', batches: texts, total } : { kind: 'stream', batches: store.list(model, plan), total }
}

async function withoutSkipped(
  { store, view: { model }, plan, skipped }: ListJob,
  items: readonly PlacedItem[],
): Promise<readonly PlacedItem[]> {
  if (skipped === 0) return items
  const first = await store.page(model, { ...plan, window: { kind: 'slice', skip: 0, limit: skipped } })
  const left = new Set(first.map(({ item }) => item.id))
  return items.filter(({ item }) => !left.has(item.id))
}
