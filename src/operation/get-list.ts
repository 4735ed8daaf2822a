import type { Window } from '../query/query-plan.ts'
import type { Place, StoredPage } from '../store/store.ts'
import type { ListJob, Result } from './job.ts'
import { countWithin, isBounded, withinBound } from './within-bound.ts'

/** GetList: a page when one is asked for, with a look at whether more follows; else everything, read while it is sent. */
export async function getList(job: ListJob): Promise<Result> {
  const { store, plan, page, form, withCount, bound } = job
  const { model } = job.view
  const total = withCount ? countWithin(bound, await store.count(model, plan.condition)) : undefined
  if (page.kind === 'none') return wholeList(job, total)
  if (isBounded(bound)) return boundedPage(job, total)
  const written = form.kind === 'texts' ? await form.page(model, plan, form.linked, job.context) : undefined
  if (written) return { kind: 'textPage', page: written, total }
  const { limit } = plan.window
  const found = await store.page(model, { ...plan, window: { ...plan.window, limit: limit + 1 } })
  return pageOf(found, found.places, plan.window, total)
}

/** @param places one more than the window holds, where more follows */
function pageOf(found: StoredPage, places: readonly Place[], window: Window, total: number | undefined): Result {
  const more = places.length > window.limit
  // Before a cursor, what lies beyond the page is at its start.
  const wanted = window.kind === 'before' && more ? places.slice(1) : places.slice(0, window.limit)
  return { kind: 'page', places: wanted, batches: found.items(wanted), more, total }
}

const nothing: StoredPage = { places: [], items: async function* () {} }

async function boundedPage(
  { store, view: { model }, plan, bound, isLast }: ListJob,
  total: number | undefined,
): Promise<Result> {
  const edged = plan.window.kind === 'slice' ? undefined : await withinBound(store, model, plan, bound)
  const { window } = edged?.plan ?? plan
  const { limit } = window
  const asked = isLast ? limit : limit + 1
  const found = asked === 0 ? nothing : await store.page(model, { ...plan, window: { ...window, limit: asked } })
  return pageOf(found, edged ? found.places.filter(edged.isWithin) : found.places, window, total)
}

function wholeList({ store, view: { model }, plan, form }: ListJob, total: number | undefined): Result {
  const isAlone = form.kind === 'texts' && form.isStored && form.linked.length === 0
  const texts = isAlone ? store.texts?.list(model, plan) : undefined
  return texts ? { kind: 'texts', batches: texts, total } : { kind: 'stream', batches: store.list(model, plan), total }
}
