import type { ApiResponse } from '../http/api-response.ts'
import type { PageOfGroups } from '../operation/operation-result.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { GroupsSelection } from '../rule/selection.ts'
import type { GroupColumn } from '../serializer/outgoing-groups.ts'
import { linksOfPage, pageHeaders } from './encode-page.ts'
import {
  contentType,
  documentFacts,
  notPaged,
  type ResponseContext,
  responseHeaders,
  textBody,
} from './response-context.ts'

/** The groups of a list: all of them, or a page. */
export function encodeGroups(
  responseContext: ResponseContext,
  plan: QueryPlan,
  { groups, hasMore, total }: PageOfGroups,
): ApiResponse {
  const { endpoint, selection } = responseContext
  const pageLinks =
    selection.page.kind === 'none'
      ? undefined
      : linksOfPage(responseContext, plan, {
          firstPosition: undefined,
          lastPosition: undefined,
          hasMore,
          total,
        })
  const facts = documentFacts(responseContext, { ...notPaged, pageLinks, total })
  const headers = pageLinks
    ? pageHeaders(responseContext, pageLinks)
    : responseHeaders(responseContext, { 'content-type': contentType(responseContext) })
  const columns = columnsOf(selection.groups!)
  const text = endpoint.serializer.writeGroups({ columns, groups }, facts)
  return { status: 200, headers, body: textBody(text) }
}

function columnsOf({ keys, aggregates }: GroupsSelection): readonly GroupColumn[] {
  return [
    ...keys.map(({ name, text }) => ({ name, of: 'by' as const, text })),
    ...aggregates.map(({ name }) => ({ name, of: 'aggregates' as const, text: 'free' as const })),
  ]
}
