import type { Context } from '../context/context.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { noBody } from '../http/api-response.ts'
import { formatDigest, wantsDigest } from '../http/headers/content-digest.ts'
import { isNotModified } from '../http/headers/precondition.ts'
import {
  formatContentRange,
  isIfRangeMet,
  parseRange,
  type RequestedRange,
} from '../http/headers/range.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import { safeContentHeaders } from '../http/safe-serving.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { OperationResult } from '../operation/operation-result.ts'

export const encodeResourceErrors = ['range-not-satisfiable'] as const

const { createApiError } = refusalsOf(encodeResourceErrors)

type ResourceResult = Extract<OperationResult, { kind: 'resource' }>

/**
 * Streams a resource, or a range of its bytes (RFC 9110 §14). Headers of middleware override those
 * set here.
 * @throws ApiError `range-not-satisfiable`
 */
export async function encodeResource(
  context: Context,
  result: ResourceResult,
): Promise<ApiResponse> {
  try {
    return await encodeResourceBytes(context, result)
  } finally {
    result.release()
  }
}

async function encodeResourceBytes(context: Context, result: ResourceResult): Promise<ApiResponse> {
  const { method, headers: requestHeaders } = context.request
  const { resource } = result
  const etag = `"${resource.hash}"`
  const commonHeaders: ResponseHeaders = {
    etag,
    'cache-control': isPrivate(context) ? 'private' : 'public',
    // The form of a resource does not depend on `Accept`.
    ...(context.rule.vary !== 'Accept' && { vary: context.rule.vary }),
  }
  if (isNotModified(requestHeaders, etag))
    return { status: 304, headers: { ...commonHeaders, ...context.headers }, body: noBody }
  const range =
    method === 'GET' && isIfRangeMet(requestHeaders['if-range'], etag)
      ? parseRange(requestHeaders.range, resource.size)
      : wholeRange
  if (range.kind === 'unsatisfiable') throw rangeNotSatisfiable(range, resource)
  const { start, end } = range.kind === 'partial' ? range : { start: 0, end: resource.size - 1 }
  const length = end - start + 1
  const headers: ResponseHeaders = {
    ...safeContentHeaders(resource.contentType, resource.fileName ?? undefined),
    ...commonHeaders,
    'accept-ranges': 'bytes',
    'content-length': String(length),
    ...(range.kind === 'partial' && { 'content-range': formatContentRange(range, resource.size)! }),
    ...(wantsDigest(requestHeaders['want-repr-digest'], 'sha-256') && {
      'repr-digest': formatDigest('sha-256', resource.hash),
    }),
    ...context.headers,
  }
  // A response without a body needs no open blob.
  if (method === 'HEAD' || length === 0) return { status: 200, headers, body: noBody }
  const chunks = await result.read(range.kind === 'partial' ? { start, end } : undefined)
  if (!chunks) return encodeRetry(context, await result.retry())
  return {
    status: range.kind === 'partial' ? 206 : 200,
    headers,
    body: { kind: 'stream', chunks, length },
  }
}

function encodeRetry(context: Context, result: OperationResult): Promise<ApiResponse> {
  return encodeResource(context, result as ResourceResult)
}

const wholeRange: RequestedRange = { kind: 'whole' }

/**
 * Whether only the caller's own cache may store the response. Hooks may depend on anything in the
 * request, and `public` would let shared caches store responses to requests with credentials (RFC
 * 9111 §3.5).
 */
function isPrivate({ request: { headers }, caller, state, rule }: Context): boolean {
  if (rule.isPersonal || caller !== undefined) return true
  return headers.authorization !== undefined || headers.cookie !== undefined || state.size > 0
}

function rangeNotSatisfiable(range: RequestedRange, { size }: BinaryResource): Error {
  return createApiError(
    'range-not-satisfiable',
    `The range starts after the end of the resource, which has ${size} bytes.`,
    { header: 'Range' },
    { headers: { 'content-range': formatContentRange(range, size)! } },
  )
}
