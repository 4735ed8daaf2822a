import { type ApiResponse, noBody } from '../http/api-response.ts'
import { encodePathSegment } from '../http/percent-encoding.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import { encodeChanges } from './encode-changes.ts'
import { encodeGroups } from './encode-groups.ts'
import { encodeItem, encodeUnreadItem } from './encode-item.ts'
import { encodeKept } from './encode-kept.ts'
import { encodeLinkage } from './encode-linkage.ts'
import { encodeList } from './encode-list.ts'
import { encodePage } from './encode-page.ts'
import { encodeResource } from './encode-resource.ts'
import {
  contentType,
  etagHeader,
  type ResponseContext,
  responseHeaders,
} from './response-context.ts'

/**
 * Makes the response from the result of an operation; synchronously where nothing more has to be
 * read.
 */
export function encode(
  responseContext: ResponseContext,
  plan: QueryPlan,
  result: OperationResult,
): ApiResponse | Promise<ApiResponse> {
  const { status } = responseContext.endpoint.rule.response
  switch (result.kind) {
    case 'deleted':
      return { status, headers: responseHeaders(responseContext, {}), body: noBody }
    case 'relationChanged':
      return {
        status,
        headers: responseHeaders(responseContext, etagHeader(result.etag)),
        body: noBody,
      }
    case 'resource':
      return encodeResource(responseContext.context, result)
    case 'item':
      return encodeItem(responseContext, result.item, status, {})
    case 'unreadItem':
      return encodeUnreadItem(responseContext, result.item, status)
    case 'emptyRelation':
      return encodeLinkage(responseContext, {
        idBatches: [],
        isToMany: false,
        withCount: false,
        owner: result.owner,
        isComplete: false,
      })
    case 'created':
      return encodeItem(responseContext, result.item, 201, {
        location: itemUrl(responseContext, result.item.id),
      })
    case 'output':
      return encodeOutput(responseContext, result, status)
    case 'changes':
      return encodeChanges(responseContext, result.changes)
    case 'version':
    case 'versions':
    case 'trash':
    case 'trashed':
      return encodeKept(responseContext, result, status)
    case 'groups':
      return encodeGroups(responseContext, plan, result.page)
    case 'linkage':
      return encodeLinkage(responseContext, result)
    case 'list':
      return encodeList(responseContext, result)
    case 'page':
      return encodePage(responseContext, plan, result)
  }
}

function encodeOutput(
  responseContext: ResponseContext,
  { text, etag }: Extract<OperationResult, { kind: 'output' }>,
  status: number,
): ApiResponse {
  const headers = responseHeaders(responseContext, {
    'content-type': contentType(responseContext),
    ...etagHeader(etag),
  })
  return { status, headers, body: { kind: 'text', text } }
}

function itemUrl({ services, endpoint: { model } }: ResponseContext, id: string): string {
  return `${services.urlPrefix()}/${model.plural}/${encodePathSegment(id)}`
}
