import type { PageRange } from '../query/query-plan.ts'
import type { PageEntry, StoredPage } from '../store/store.ts'
import type { ListOperationInput, OperationResult } from './operation-input.ts'
import { clampToVisibleRange, countVisible, isPartialRange } from './visible-range.ts'

/**
 * GetList: a page when one is asked for, with a look at whether more follows; else everything, read
 * while it is sent.
 */
export async function getList(job: ListOperationInput): Promise<OperationResult> {
  const { store, plan, page, strategy, withCount, visibleRange } = job
  const { model } = job.view
  const total = withCount
    ? countVisible(visibleRange, await store.count(model, plan.condition))
    : undefined
  if (page.kind === 'none') return wholeList(job, total)
  if (isPartialRange(visibleRange)) return pageInVisibleRange(job, total)
  const written =
    strategy.kind === 'texts'
      ? await strategy.readPage(model, plan, strategy.includedRelations, job.context)
      : undefined
  if (written) return { kind: 'textPage', page: written, total }
  const { limit } = plan.pageRange
  const found = await store.page(model, {
    ...plan,
    pageRange: { ...plan.pageRange, limit: limit + 1 },
  })
  return pageResult(found, found.entries, plan.pageRange, total)
}

/** @param places one more than the window holds, where more follows */
function pageResult(
  found: StoredPage,
  places: readonly PageEntry[],
  window: PageRange,
  total: number | undefined,
): OperationResult {
  const more = places.length > window.limit
  // Before a cursor, what lies beyond the page is at its start.
  const wanted = window.kind === 'before' && more ? places.slice(1) : places.slice(0, window.limit)
  return { kind: 'page', entries: wanted, batches: found.items(wanted), hasMore: more, total }
}

const emptyPage: StoredPage = { entries: [], items: async function* () {} }

async function pageInVisibleRange(
  { store, view: { model }, plan, visibleRange, isLastPage }: ListOperationInput,
  total: number | undefined,
): Promise<OperationResult> {
  const edged =
    plan.pageRange.kind === 'slice'
      ? undefined
      : await clampToVisibleRange(store, model, plan, visibleRange)
  const { pageRange } = edged?.plan ?? plan
  const { limit } = pageRange
  const asked = isLastPage ? limit : limit + 1
  const found =
    asked === 0
      ? emptyPage
      : await store.page(model, { ...plan, pageRange: { ...pageRange, limit: asked } })
  return pageResult(
    found,
    edged ? found.entries.filter(edged.isInRange) : found.entries,
    pageRange,
    total,
  )
}

function wholeList(
  { store, view: { model }, plan, strategy }: ListOperationInput,
  total: number | undefined,
): OperationResult {
  const isAlone =
    strategy.kind === 'texts' && strategy.isRawJson && strategy.includedRelations.length === 0
  const texts = isAlone ? store.rawJson?.list(model, plan) : undefined
  return texts
    ? { kind: 'texts', batches: texts, total }
    : { kind: 'stream', batches: store.list(model, plan), total }
}
