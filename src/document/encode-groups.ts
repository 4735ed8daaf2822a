import type { ApiResponse } from '../http/api-response.ts'
import type { PageOfGroups } from '../operation/operation-result.ts'
import type { QueryPlan } from '../query/query-plan.ts'
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
  const text = endpoint.serializer.writeGroups(JSON.stringify(groups), facts)
  return { status: 200, headers, body: textBody(text) }
}
