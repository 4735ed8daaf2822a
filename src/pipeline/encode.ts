import { type ApiResponse, noBody } from '../http/api-response.ts'
import { encodePathSegment } from '../http/header-value.ts'
import type { Result } from '../operation/job.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import { encodeItem } from './encode-item.ts'
import { encodeLinkage } from './encode-linkage.ts'
import { encodePage, encodeStream, encodeTextPage, encodeTexts } from './encode-list.ts'
import { encodeResource } from './encode-resource.ts'
import { conditional, type Encoding, headersOf, tagged, typeOf, unchanged } from './encoding.ts'

/** Makes the answer of what an operation came to; at once, where nothing more has to be read for it. */
export function encode(encoding: Encoding, plan: QueryPlan, result: Result): ApiResponse | Promise<ApiResponse> {
  const { status } = encoding.rule.response
  switch (result.kind) {
    case 'removed':
      return { status, headers: headersOf(encoding, {}), body: noBody }
    case 'related':
      return { status, headers: headersOf(encoding, tagged(result.etag)), body: noBody }
    case 'resource':
      return encodeResource(encoding.context, result)
    case 'item':
      return encodeItem(encoding, result.item, status, {})
    case 'document':
      return conditional(encoding, status, {}, `"${result.version}"`, () => ({ kind: 'bytes', bytes: result.document }))
    case 'unchanged':
      return unchanged(encoding, `"${result.version}"`)
    case 'nothing':
      return encodeLinkage(encoding, { ids: [], many: false, total: undefined, owner: result.owner, whole: false })
    case 'created':
      return encodeItem(encoding, result.item, 201, { location: addressOfItem(encoding, result.item.id) })
    case 'output':
      return encodeOutput(encoding, result, status)
    case 'linkage':
      return encodeLinkage(encoding, result)
    case 'stream':
      return encodeStream(encoding, result)
    case 'texts':
      return encodeTexts(encoding, result)
    case 'page':
      return encodePage(encoding, plan, result)
    case 'textPage':
      return encodeTextPage(encoding, plan, result)
  }
}

function encodeOutput(
  encoding: Encoding,
  { text, etag }: Extract<Result, { kind: 'output' }>,
  status: number,
): ApiResponse {
  const headers = headersOf(encoding, { 'content-type': typeOf(encoding), ...tagged(etag) })
  return { status, headers, body: { kind: 'text', text } }
}

function addressOfItem({ parts, model }: Encoding, id: string): string {
  return `${parts.base()}/${model.plural}/${encodePathSegment(id)}`
}
