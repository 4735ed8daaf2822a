import type { ListJob, Result } from './job.ts'

/** GetList: a page when one is asked for, with a look at whether more follows; else everything, read while it is sent. */
export async function getList({ store, view: { model }, plan, page, withCount }: ListJob): Promise<Result> {
  const total = withCount ? await store.count(model, plan.condition) : undefined
  if (page.kind === 'none') return { kind: 'stream', batches: store.list(model, plan), total }
  const { limit } = plan.window
  const found = await store.page(model, { ...plan, window: { ...plan.window, limit: limit + 1 } })
  if (found.length <= limit) return { kind: 'page', items: found, more: false, total }
  // Before a cursor, what lies beyond the page is at its start.
  return {
    kind: 'page',
    items: plan.window.kind === 'before' ? found.slice(1) : found.slice(0, limit),
    more: true,
    total,
  }
}
