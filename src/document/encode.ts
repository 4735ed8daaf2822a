import { type ApiResponse, noBody } from '../http/api-response.ts'
import { encodePathSegment } from '../http/percent-encoding.ts'
import type { OperationResult } from '../operation/operation-input.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import { encodeItem } from './encode-item.ts'
import { encodeLinkage } from './encode-linkage.ts'
import {
  encodeItemStream,
  encodePage,
  encodeRawStream,
  encodeSerializedPage,
} from './encode-list.ts'
import { encodeResource } from './encode-resource.ts'
import {
  conditionalResponse,
  contentType,
  etagHeader,
  notModifiedResponse,
  type ResponseContext,
  responseHeaders,
} from './response-context.ts'

/**
 * Makes the answer of what an operation came to; at once, where nothing more has to be read for it.
 */
export function encode(
  encoding: ResponseContext,
  plan: QueryPlan,
  result: OperationResult,
): ApiResponse | Promise<ApiResponse> {
  const { status } = encoding.rule.response
  switch (result.kind) {
    case 'removed':
      return { status, headers: responseHeaders(encoding, {}), body: noBody }
    case 'related':
      return { status, headers: responseHeaders(encoding, etagHeader(result.etag)), body: noBody }
    case 'resource':
      return encodeResource(encoding.context, result)
    case 'item':
      return encodeItem(encoding, result.item, status, {})
    case 'document':
      return conditionalResponse(encoding, status, {}, `"${result.version}"`, () => ({
        kind: 'bytes',
        bytes: result.document,
      }))
    case 'unchanged':
      return notModifiedResponse(encoding, `"${result.version}"`)
    case 'nothing':
      return encodeLinkage(encoding, {
        ids: [],
        isToMany: false,
        total: undefined,
        owner: result.owner,
        isComplete: false,
      })
    case 'created':
      return encodeItem(encoding, result.item, 201, { location: itemUrl(encoding, result.item.id) })
    case 'output':
      return encodeOutput(encoding, result, status)
    case 'linkage':
      return encodeLinkage(encoding, result)
    case 'stream':
      return encodeItemStream(encoding, result)
    case 'texts':
      return encodeRawStream(encoding, result)
    case 'page':
      return encodePage(encoding, plan, result)
    case 'textPage':
      return encodeSerializedPage(encoding, plan, result)
  }
}

function encodeOutput(
  encoding: ResponseContext,
  { text, etag }: Extract<OperationResult, { kind: 'output' }>,
  status: number,
): ApiResponse {
  const headers = responseHeaders(encoding, {
    'content-type': contentType(encoding),
    ...etagHeader(etag),
  })
  return { status, headers, body: { kind: 'text', text } }
}

function itemUrl({ services, model }: ResponseContext, id: string): string {
  return `${services.urlPrefix()}/${model.plural}/${encodePathSegment(id)}`
}
