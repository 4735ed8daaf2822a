import type { ApiRequest } from '../../http/api-request.ts'
import { type ApiResponse, noBody } from '../../http/api-response.ts'
import { bodyChunks, byteLengthOf, type Chunk, toBytes } from '../../http/chunk.ts'
import {
  type ContentCoding,
  isIdentityRefused,
  preferredCoding,
} from '../../http/headers/accept-encoding.ts'
import { joinHeaderValues, type ResponseHeaders } from '../../http/headers/response-headers.ts'
import { withAcceptEncoding } from '../../http/headers/vary.ts'
import { encodedTag } from './coding-tags.ts'
import { areCompressorsBusy, compressedBuffers, compressedChunks } from './compressed-chunks.ts'
import { readFirstChunks } from './first-chunks.ts'

export interface CompressionSettings {
  /** The preferred one first. */
  readonly encodings: readonly ContentCoding[]
  /** Shorter responses are not compressed. */
  readonly thresholdBytes: number
}

/** What text compresses well. Files that were uploaded are recognized by their ranges. */
const compressibleType =
  /^(?:text\/(?!event-stream\b)|application\/(?:[^;]*\+)?(?:json|jsonl|xml|javascript)\b)/i

/** Headers of responses that compression would make wrong, or that forbid it. */
const excludingHeaders = [
  'content-digest',
  'repr-digest',
  'content-range',
  'content-encoding',
] as const

/**
 * The response in the content coding that the client prefers. Whether it depends on
 * `Accept-Encoding` is said even where it is not compressed (RFC 9110 §12.5.5).
 */
export function compressResponse(
  request: ApiRequest,
  response: ApiResponse,
  settings: CompressionSettings,
): ApiResponse | Promise<ApiResponse> {
  const { status, headers } = response
  if (status === 304) return notModified(request, response, settings)
  if (!isCompressible(response)) return response
  const uncompressed: ApiResponse = {
    ...response,
    headers: { ...headers, vary: withAcceptEncoding(headers.vary) },
  }
  const accepted = request.headers['accept-encoding']
  const coding = preferredCoding(accepted, settings.encodings)
  if (coding === undefined || areCompressorsBusy() || request.isAborted === true)
    return uncompressed
  const thresholdBytes = isIdentityRefused(accepted) ? 0 : settings.thresholdBytes
  return compress(request, uncompressed, coding, thresholdBytes)
}

function isCompressible({ status, headers, body }: ApiResponse): boolean {
  return (
    status !== 204 &&
    status !== 206 &&
    !(body.kind === 'stream' && body.length !== undefined) &&
    compressibleType.test(joinHeaderValues(headers['content-type']) ?? '') &&
    headers['accept-ranges'] === undefined &&
    excludingHeaders.every((name) => headers[name] === undefined) &&
    !/\bno-transform\b/i.test(joinHeaderValues(headers['cache-control']) ?? '')
  )
}

/** The headers that the 200 would have; its tag is the one that the client has. */
function notModified(
  request: ApiRequest,
  response: ApiResponse,
  { encodings }: CompressionSettings,
): ApiResponse {
  const { headers } = response
  // Bytes of files do not vary.
  if (headers.vary === undefined) return response
  const vary = withAcceptEncoding(headers.vary)
  const coding = preferredCoding(request.headers['accept-encoding'], encodings)
  const tag = joinHeaderValues(headers.etag)
  const codedTag = tag && coding && encodedTag(tag, coding)
  const etag = codedTag && request.headers['if-none-match']?.includes(codedTag) ? codedTag : tag
  return { ...response, headers: { ...headers, vary, ...(etag && { etag }) } }
}

async function compress(
  { method }: ApiRequest,
  response: ApiResponse,
  coding: ContentCoding,
  thresholdBytes: number,
): Promise<ApiResponse> {
  const { headers, body } = response
  if (body.kind === 'empty') return response
  const minBytes = Math.max(1, thresholdBytes)
  if (body.kind !== 'stream') {
    const chunks = bodyChunks(body)
    if (lengthOf(chunks) < minBytes) return response
    // The length is known only to those who compress.
    if (method === 'HEAD')
      return { ...response, headers: encodedHeaders(headers, coding), body: noBody }
    const buffers = await compressedBuffers(chunks, coding)
    return {
      ...response,
      headers: encodedHeaders(headers, coding),
      body: { kind: 'buffers', buffers },
    }
  }
  const source = body.chunks[Symbol.asyncIterator]()
  const first = await readFirstChunks(source, minBytes)
  if (first.next === undefined && lengthOf(first.chunks) < minBytes)
    return { ...response, body: { kind: 'buffers', buffers: first.chunks.map(toBytes) } }
  return {
    ...response,
    headers: encodedHeaders(headers, coding),
    body: { kind: 'stream', chunks: compressedChunks(source, first, coding) },
  }
}

function encodedHeaders(headers: ResponseHeaders, coding: ContentCoding): ResponseHeaders {
  const tag = joinHeaderValues(headers.etag)
  return {
    ...headers,
    'content-encoding': coding,
    ...(tag && { etag: encodedTag(tag, coding) }),
  }
}

function lengthOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((length, chunk) => length + byteLengthOf(chunk), 0)
}
