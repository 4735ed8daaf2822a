import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { acceptedCoding, type Coding } from '../http/accept-encoding.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { once } from './once.ts'
import { pageAnswer } from './page.ts'

/** Bytes that stay as they are, and their compressed forms, each of which is made once and kept. */
export interface CodedContent {
  readonly digest: string
  readonly forms: Readonly<Record<Coding | 'identity', () => Promise<Uint8Array>>>
}

/** Half of the time of the best quality for nearly all of what it saves. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

export function codedContent(bytes: Uint8Array): CodedContent {
  return {
    digest: createHash('sha256').update(bytes).digest('base64url'),
    forms: {
      identity: () => Promise.resolve(bytes),
      br: once(() => promisify(brotliCompress)(bytes, brotli)),
      gzip: once(() => promisify(gzip)(bytes)),
    },
  }
}

/** The content in the coding that the client prefers, unless it has it already. Each form has a tag of its own (RFC 9110 §8.8.3.3). */
export async function codedAnswer(
  request: ApiRequest,
  headers: Readonly<Record<string, string>>,
  { digest, forms }: CodedContent,
): Promise<ApiResponse> {
  const coding = acceptedCoding(request.headers['accept-encoding'])
  const vary = [headers.vary, 'Accept-Encoding'].filter(Boolean).join(', ')
  const bytes = await forms[coding ?? 'identity']()
  const coded = { ...headers, vary, ...(coding && { 'content-encoding': coding }) }
  return pageAnswer(request, coded, `"${digest}${coding ? `-${coding}` : ''}"`, { kind: 'bytes', bytes })
}
