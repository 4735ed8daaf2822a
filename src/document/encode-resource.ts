import type { Context } from '../context/context.ts'
import { createApiError } from '../error/api-error.ts'
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
import type { OperationResult } from '../operation/operation-input.ts'

type ResourceResult = Extract<OperationResult, { kind: 'resource' }>

/**
 * Sends the bytes of a resource, or a range of them (RFC 9110 §14), as they are read. Headers that
 * middleware set go before those made here.
 * @throws ApiError `range-not-satisfiable`
 */
export async function encodeResource(
  context: Context,
  found: ResourceResult,
): Promise<ApiResponse> {
  try {
    return await encodeResourceBytes(context, found)
  } finally {
    found.release()
  }
}

async function encodeResourceBytes(context: Context, found: ResourceResult): Promise<ApiResponse> {
  const { method, headers: asked } = context.request
  const { resource } = found
  const etag = `"${resource.hash}"`
  const always: ResponseHeaders = {
    etag,
    'cache-control': isPrivate(context) ? 'private' : 'public',
  }
  if (isNotModified(asked, etag))
    return { status: 304, headers: { ...always, ...context.headers }, body: noBody }
  const range =
    method === 'GET' && isIfRangeMet(asked['if-range'], etag)
      ? parseRange(asked.range, resource.size)
      : wholeRange
  if (range.kind === 'unsatisfiable') throw rangeNotSatisfiable(range, resource)
  const { start, end } = range.kind === 'part' ? range : { start: 0, end: resource.size - 1 }
  const length = end - start + 1
  const headers: ResponseHeaders = {
    ...safeContentHeaders(resource.contentType, resource.fileName ?? undefined),
    ...always,
    'accept-ranges': 'bytes',
    'content-length': String(length),
    ...(range.kind === 'part' && { 'content-range': formatContentRange(range, resource.size)! }),
    ...(wantsDigest(asked['want-repr-digest'], 'sha-256') && {
      'repr-digest': formatDigest('sha-256', resource.hash),
    }),
    ...context.headers,
  }
  // Nothing is opened that nobody gets.
  if (method === 'HEAD' || length === 0) return { status: 200, headers, body: noBody }
  const chunks = await found.read(range.kind === 'part' ? { start, end } : undefined)
  if (!chunks) return encodeRetry(context, await found.retry())
  return {
    status: range.kind === 'part' ? 206 : 200,
    headers,
    body: { kind: 'stream', chunks, length },
  }
}

function encodeRetry(context: Context, result: OperationResult): Promise<ApiResponse> {
  return encodeResource(context, result as ResourceResult)
}

const wholeRange: RequestedRange = { kind: 'whole' }

/**
 * May only its own caller keep the answer? So it is where hooks run, which may ask for anything
 * that a request has, and where the request says who asks: `public` would let shared caches keep
 * even what was asked for with credentials (RFC 9111 §3.5).
 */
function isPrivate({ request: { headers }, state, rule }: Context): boolean {
  if (rule.operation !== 'Batch' && rule.isPersonal) return true
  return headers.authorization !== undefined || headers.cookie !== undefined || state.size > 0
}

function rangeNotSatisfiable(range: RequestedRange, { size }: BinaryResource): Error {
  return createApiError(
    'range-not-satisfiable',
    `There are ${size} bytes, and the range starts after the last.`,
    { header: 'Range' },
    { headers: { 'content-range': formatContentRange(range, size)! } },
  )
}
