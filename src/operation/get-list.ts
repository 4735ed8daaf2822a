import type { ErrorCode } from '../error/catalog.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { PageRange } from '../query/query-plan.ts'
import type { RequestedSearch } from '../rule/selection.ts'
import type { PageEntry, StoredPage } from '../store/store-reader.ts'
import { checkListLength, listLengthErrors } from './list-length.ts'
import type { ListOperationInput } from './operation-input.ts'
import type { OperationResult } from './operation-result.ts'
import { highlightsOf } from './summary/highlights.ts'
import { listSummary, listSummaryErrors } from './summary/list-summary.ts'
import type { PageOfItems, UnreadList, UnreadPage } from './unread-list.ts'
import { clampToVisibleRange, countVisible, isPartialRange } from './visible-range.ts'

const highlightErrors = ['invalid-value'] as const

/** Those of related items too, which no request highlights. */
export const readListErrors: readonly ErrorCode[] = [...listLengthErrors, ...listSummaryErrors]

export const getListErrors: readonly ErrorCode[] = [...readListErrors, ...highlightErrors]

const { refuse } = refusalsOf(highlightErrors)

/**
 * GetList: one page, with a look at whether more follows; without a page, the whole list, read
 * while it is sent.
 */
export async function getList(input: ListOperationInput): Promise<OperationResult> {
  const { store, view, plan, page, withCount, visibleRange, highlighted } = input
  if (page.kind === 'none') {
    if (highlighted)
      refuse('invalid-value', "'withHighlights' needs a page; add one, such as 'page[size]=20'.", {
        parameter: 'withHighlights',
      })
    await checkListLength(input, plan)
  }
  const total = withCount
    ? countVisible(visibleRange, await store.count(view.model, plan.condition))
    : undefined
  const summary = await listSummary(input)
  if (page.kind === 'none') return { kind: 'list', list: wholeList(input), total, summary }
  const unread = unreadPage(input)
  return highlighted
    ? highlightedPage(input, highlighted, unread, { total, summary })
    : { kind: 'page', page: unread, total, summary }
}

/** The page is read first: its items are highlighted. */
async function highlightedPage(
  input: ListOperationInput,
  search: RequestedSearch,
  unread: UnreadPage,
  { total, summary }: Pick<Extract<OperationResult, { kind: 'page' }>, 'total' | 'summary'>,
): Promise<OperationResult> {
  const page = await unread.readItems()
  const highlights = await highlightsOf(
    input,
    search,
    page.entries.map(({ id }) => id),
  )
  const member = `"highlights":${JSON.stringify(highlights)}`
  return {
    kind: 'page',
    page: { readItems: async () => page, readRawJson: () => undefined },
    total,
    summary: summary === '' ? member : `${summary},${member}`,
  }
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
