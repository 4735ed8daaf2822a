import type { PageRange } from '../query/query-plan.ts'
import type { PageEntry, StoredPage } from '../store/store.ts'
import type { ListOperationInput } from './operation-input.ts'
import type { OperationResult } from './operation-result.ts'
import { clampToVisibleRange, countVisible, isPartialRange } from './visible-range.ts'

/**
 * GetList: one page, with a look at whether more follows; without a page, the whole list, read
 * while it is sent.
 */
export async function getList(input: ListOperationInput): Promise<OperationResult> {
  const { store, plan, page, strategy, withCount, visibleRange } = input
  const { model } = input.view
  const total = withCount
    ? countVisible(visibleRange, await store.count(model, plan.condition))
    : undefined
  if (page.kind === 'none') return wholeList(input, total)
  if (isPartialRange(visibleRange)) return pageInVisibleRange(input, total)
  const serializedPage =
    strategy.kind === 'serialized'
      ? await strategy.readPage(model, plan, strategy.includedRelations, input.context)
      : undefined
  if (serializedPage) return { kind: 'serializedPage', page: serializedPage, total }
  const { limit } = plan.pageRange
  const storedPage = await store.page(model, {
    ...plan,
    pageRange: { ...plan.pageRange, limit: limit + 1 },
  })
  return pageResult(storedPage, storedPage.entries, plan.pageRange, total)
}

/** @param entries one more than the limit if more follows */
function pageResult(
  storedPage: StoredPage,
  entries: readonly PageEntry[],
  pageRange: PageRange,
  total: number | undefined,
): OperationResult {
  const hasMore = entries.length > pageRange.limit
  // Before a cursor, the extra entry is at the start.
  const pageEntries =
    pageRange.kind === 'before' && hasMore ? entries.slice(1) : entries.slice(0, pageRange.limit)
  return {
    kind: 'page',
    entries: pageEntries,
    batches: storedPage.items(pageEntries),
    hasMore,
    total,
  }
}

const emptyPage: StoredPage = { entries: [], items: async function* () {} }

async function pageInVisibleRange(
  { store, view: { model }, plan, visibleRange, isLastPage }: ListOperationInput,
  total: number | undefined,
): Promise<OperationResult> {
  const clamped =
    plan.pageRange.kind === 'offset'
      ? undefined
      : await clampToVisibleRange(store, model, plan, visibleRange)
  const { pageRange } = clamped?.plan ?? plan
  const { limit } = pageRange
  const readLimit = isLastPage ? limit : limit + 1
  const storedPage =
    readLimit === 0
      ? emptyPage
      : await store.page(model, { ...plan, pageRange: { ...pageRange, limit: readLimit } })
  return pageResult(
    storedPage,
    clamped ? storedPage.entries.filter(clamped.isInRange) : storedPage.entries,
    pageRange,
    total,
  )
}

function wholeList(
  { store, view: { model }, plan, strategy }: ListOperationInput,
  total: number | undefined,
): OperationResult {
  const isRawList =
    strategy.kind === 'serialized' && strategy.isRawJson && strategy.includedRelations.length === 0
  const rawBatches = isRawList ? store.rawJson?.list(model, plan) : undefined
  return rawBatches
    ? { kind: 'rawStream', batches: rawBatches, total }
    : { kind: 'stream', batches: store.list(model, plan), total }
}
