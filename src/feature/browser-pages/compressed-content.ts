import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'
import { lazyPromise } from '../../cache/lazy-promise.ts'
import type { ApiRequest } from '../../http/api-request.ts'
import type { ApiResponse } from '../../http/api-response.ts'
import { type ContentCoding, preferredCoding } from '../../http/headers/accept-encoding.ts'
import { pageResponse } from './page-response.ts'

/** Constant bytes, and their compressed forms, each of which is made once. */
export interface CompressedContent {
  readonly digest: string
  readonly encodings: Readonly<Record<ContentCoding | 'identity', () => Promise<Uint8Array>>>
}

/** Nearly as small as the best quality, in half of its time. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

export function createCompressedContent(bytes: Uint8Array): CompressedContent {
  return {
    digest: digestOf(bytes),
    encodings: {
      identity: () => Promise.resolve(bytes),
      br: lazyPromise(() => promisify(brotliCompress)(bytes, brotliOptions)),
      gzip: lazyPromise(() => promisify(gzip)(bytes)),
    },
  }
}

/** Of bytes that are compressed by Brotli already. */
export function readCompressedContent(bytes: Uint8Array): CompressedContent {
  const identity = lazyPromise(() => promisify(brotliDecompress)(bytes))
  return {
    digest: digestOf(bytes),
    encodings: {
      identity,
      br: () => Promise.resolve(bytes),
      gzip: lazyPromise(async () => promisify(gzip)(await identity())),
    },
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url')
}

/**
 * Responds with the content in the coding that the client prefers, or 304. Each coding has its own
 * ETag (RFC 9110 §8.8.3.3).
 */
export async function compressedResponse(
  request: ApiRequest,
  headers: Readonly<Record<string, string>>,
  { digest, encodings }: CompressedContent,
): Promise<ApiResponse> {
  const coding = preferredCoding(request.headers['accept-encoding'])
  const vary = [headers.vary, 'Accept-Encoding'].filter(Boolean).join(', ')
  const bytes = await encodings[coding ?? 'identity']()
  const allHeaders = { ...headers, vary, ...(coding && { 'content-encoding': coding }) }
  return pageResponse(request, allHeaders, `"${digest}${coding ? `-${coding}` : ''}"`, {
    kind: 'bytes',
    bytes,
  })
}
