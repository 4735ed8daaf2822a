import type { ErrorCode } from '../error/catalog.ts'
import type { PageRange } from '../query/query-plan.ts'
import type { PageEntry, StoredPage } from '../store/store-reader.ts'
import { checkListLength, listLengthErrors } from './list-length.ts'
import type { ListOperationInput } from './operation-input.ts'
import type { OperationResult } from './operation-result.ts'
import { asksForSummary, listSummary, listSummaryErrors } from './summary/list-summary.ts'
import type { PageOfItems, UnreadList, UnreadPage } from './unread-list.ts'
import { clampToVisibleRange, countVisible, isPartialRange } from './visible-range.ts'

export const readListErrors: readonly ErrorCode[] = [...listLengthErrors, ...listSummaryErrors]

/**
 * One page of a list, with a look at whether more follows; without a page, the whole list, read
 * while it is sent.
 */
export async function readList(input: ListOperationInput): Promise<OperationResult> {
  const { store, view, plan, page, withCount, visibleRange } = input
  if (page.kind === 'none') await checkListLength(input, plan)
  const total = withCount
    ? countVisible(visibleRange, await store.count(view.model, plan.condition))
    : undefined
  const summary = asksForSummary(input) ? await listSummary(input) : ''
  return page.kind === 'none'
    ? { kind: 'list', list: wholeList(input), total, summary }
    : { kind: 'page', page: unreadPage(input), total, summary }
}

function wholeList({ store, view: { model }, plan }: ListOperationInput): UnreadList {
  return {
    readItems: () => store.list(model, plan),
    readRawJson: () => store.fastPaths?.rawJson?.list(model, plan),
  }
}

function unreadPage(input: ListOperationInput): UnreadPage {
  const { store, view, plan, visibleRange } = input
  if (isPartialRange(visibleRange))
    return { readItems: () => pageInVisibleRange(input), readRawJson: () => undefined }
  return {
    readItems: () => wholePage(input),
    readRawJson: (relations, format) =>
      store.fastPaths?.rawJson?.page(view.model, plan, relations, format),
  }
}

async function wholePage({ store, view, plan }: ListOperationInput): Promise<PageOfItems> {
  const { pageRange } = plan
  const storedPage = await store.page(view.model, {
    ...plan,
    pageRange: { ...pageRange, limit: pageRange.limit + 1 },
  })
  return pageOfItems(storedPage, storedPage.entries, pageRange)
}

const emptyPage: StoredPage = { entries: [], items: async function* () {} }

async function pageInVisibleRange({
  store,
  view: { model },
  plan,
  visibleRange,
  isLastPage,
}: ListOperationInput): Promise<PageOfItems> {
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
  return pageOfItems(
    storedPage,
    clamped ? storedPage.entries.filter(clamped.isInRange) : storedPage.entries,
    pageRange,
  )
}

/** @param entries one more than the limit if more follows */
function pageOfItems(
  storedPage: StoredPage,
  entries: readonly PageEntry[],
  pageRange: PageRange,
): PageOfItems {
  const hasMore = entries.length > pageRange.limit
  // Before a cursor, the extra entry is at the start.
  const pageEntries =
    pageRange.kind === 'before' && hasMore ? entries.slice(1) : entries.slice(0, pageRange.limit)
  return { entries: pageEntries, batches: storedPage.items(pageEntries), hasMore }
}
