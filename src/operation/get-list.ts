import type { ErrorCode } from '../error/catalog.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { RequestedSearch } from '../rule/selection.ts'
import type { ListOperationInput } from './operation-input.ts'
import type { OperationResult } from './operation-result.ts'
import { readList, readListErrors } from './read-list.ts'
import { highlightsOf } from './summary/highlights.ts'

export const getListErrors: readonly ErrorCode[] = [...readListErrors, 'invalid-value']

const { refuse } = refusalsOf(['invalid-value'])

/** GetList: a list that a request reads, where words of its search may be highlighted. */
export function getList(input: ListOperationInput): Promise<OperationResult> {
  return input.highlighted ? highlightedList(input, input.highlighted) : readList(input)
}

async function highlightedList(
  input: ListOperationInput,
  search: RequestedSearch,
): Promise<OperationResult> {
  if (input.page.kind === 'none')
    refuse('invalid-value', "'withHighlights' needs a page; add one, such as 'page[size]=20'.", {
      parameter: 'withHighlights',
    })
  const result = await readList(input)
  return result.kind === 'page' ? highlightedPage(input, search, result) : result
}

/** The page is read first: its items are highlighted. */
async function highlightedPage(
  input: ListOperationInput,
  search: RequestedSearch,
  { page: unread, total, summary }: Extract<OperationResult, { kind: 'page' }>,
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
