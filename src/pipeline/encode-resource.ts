import type { Context } from '../context/context.ts'
import { refusal } from '../error/api-error.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { noBody } from '../http/api-response.ts'
import { formatDigest, wantsDigest } from '../http/content-digest.ts'
import { notModified } from '../http/precondition.ts'
import { type ByteRange, contentRange, ifRangeHolds, parseRange } from '../http/range.ts'
import type { ResponseHeaders } from '../http/response-headers.ts'
import { servingHeaders } from '../http/safe-serving.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { Result } from '../operation/job.ts'

type Found = Extract<Result, { kind: 'resource' }>

/**
 * Sends the bytes of a resource, or a range of them (RFC 9110 §14), as they are read. Headers that middleware set go before those made here.
 * @throws ApiError `range-not-satisfiable`
 */
export async function encodeResource(context: Context, found: Found): Promise<ApiResponse> {
  try {
    return await encodeHeld(context, found)
  } finally {
    found.release()
  }
}

async function encodeHeld(context: Context, found: Found): Promise<ApiResponse> {
  const { method, headers: asked } = context.request
  const { resource } = found
  const etag = `"${resource.hash}"`
  const always: ResponseHeaders = { etag, 'cache-control': isPersonal(context) ? 'private' : 'public' }
  if (notModified(asked, etag)) return { status: 304, headers: { ...always, ...context.headers }, body: noBody }
  const range =
    method === 'GET' && ifRangeHolds(asked['if-range'], etag) ? parseRange(asked.range, resource.size) : whole
  if (range.kind === 'unsatisfiable') throw beyond(range, resource)
  const { start, end } = range.kind === 'part' ? range : { start: 0, end: resource.size - 1 }
  const length = end - start + 1
  const headers: ResponseHeaders = {
    ...servingHeaders(resource.contentType, resource.fileName ?? undefined),
    ...always,
    'accept-ranges': 'bytes',
    'content-length': String(length),
    ...(range.kind === 'part' && { 'content-range': contentRange(range, resource.size)! }),
    ...(wantsDigest(asked['want-repr-digest'], 'sha-256') && { 'repr-digest': formatDigest('sha-256', resource.hash) }),
    ...context.headers,
  }
  // Nothing is opened that nobody gets.
  if (method === 'HEAD' || length === 0) return { status: 200, headers, body: noBody }
  const chunks = await found.read(range.kind === 'part' ? { start, end } : undefined)
  if (!chunks) return encodeAgain(context, await found.again())
  return { status: range.kind === 'part' ? 206 : 200, headers, body: { kind: 'stream', chunks, length } }
}

function encodeAgain(context: Context, result: Result): Promise<ApiResponse> {
  return encodeResource(context, result as Found)
}

const whole: ByteRange = { kind: 'whole' }

/**
 * May only its own caller keep the answer? So it is where hooks run, which may ask for anything that a request has, and where the request says who asks: `public` would let
 * shared caches keep even what was asked for with credentials (RFC 9111 §3.5).
 */
function isPersonal({ request: { headers }, state, rule }: Context): boolean {
  if (rule.operation !== 'Batch' && rule.isPersonal) return true
  return headers.authorization !== undefined || headers.cookie !== undefined || state.size > 0
}

function beyond(range: ByteRange, { size }: BinaryResource): Error {
  return refusal(
    'range-not-satisfiable',
    `There are ${size} bytes, and the range starts after the last.`,
    { header: 'Range' },
    { headers: { 'content-range': contentRange(range, size)! } },
  )
}
