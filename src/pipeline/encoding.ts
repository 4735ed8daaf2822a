import { noHeaders } from '../context/context.ts'
import { type ApiResponse, noBody, type ResponseBody } from '../http/api-response.ts'
import { withProfiles } from '../http/media-uris.ts'
import { notModified } from '../http/precondition.ts'
import type { ResponseHeaders } from '../http/response-headers.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { KeptDocuments } from './kept-documents.ts'
import { withAccept } from './vary.ts'
import type { Writing } from './write-document.ts'

export type HeaderFields = Record<string, string>

/** What is known of the answer before its document is. */
export interface Encoding extends Omit<Writing, 'facts'> {
  readonly rule: ModelRule
  /** The URIs of the profiles it follows. */
  readonly profiles: readonly string[]
  readonly address: () => string
  /** Undefined where documents are made anew each time. */
  readonly documents: KeptDocuments | undefined
}

/** The headers made for this answer, completed, with those that middleware set. */
export function headersOf({ context, rule }: Encoding, headers: HeaderFields): ResponseHeaders {
  if (rule.isPersonal) headers['cache-control'] = 'private, no-cache'
  headers.vary = 'Accept'
  headers['x-content-type-options'] = 'nosniff'
  if (context.headers === noHeaders) return headers
  const all: ResponseHeaders = { ...headers, ...context.headers }
  return { ...all, vary: withAccept(all.vary) }
}

export function typeOf({ serializer, profiles }: Encoding): string {
  return profiles.length === 0 ? serializer.mediaType : withProfiles(serializer.mediaType, profiles)
}

export function tagged(etag: string | undefined): HeaderFields {
  return etag === undefined ? {} : { etag }
}

export function textBody(text: string): ResponseBody {
  return { kind: 'text', text }
}

/** Nothing is read that nobody gets. */
export function streamBody({ context }: Encoding, chunks: AsyncIterable<string | Uint8Array>): ResponseBody {
  return context.request.method === 'HEAD' ? noBody : { kind: 'stream', chunks }
}

/** The same of chunks that are being written already: where they are not wanted, that is given up. */
export async function writtenBody(
  encoding: Encoding,
  chunks: AsyncGenerator<string | Uint8Array>,
): Promise<ResponseBody> {
  const body = streamBody(encoding, chunks)
  if (body.kind === 'empty') await chunks.return(undefined)
  return body
}

export function unchanged(encoding: Encoding, etag: string): ApiResponse {
  return { status: 304, headers: headersOf(encoding, { etag }), body: noBody }
}

/** The text, unless the client has it already. */
export function conditional(
  encoding: Encoding,
  status: number,
  headers: HeaderFields,
  etag: string,
  body: () => ResponseBody,
): ApiResponse {
  const { method, headers: sent } = encoding.context.request
  if ((method === 'GET' || method === 'HEAD') && notModified(sent, etag)) return unchanged(encoding, etag)
  headers['content-type'] = typeOf(encoding)
  headers.etag = etag
  return { status, headers: headersOf(encoding, headers), body: body() }
}

type PageFacts = Pick<DocumentFacts, 'pages' | 'total' | 'truncated'>

export const notPaged: PageFacts = Object.freeze({ pages: undefined, total: undefined, truncated: false })

export function factsOf(
  { parts, rule, selection, address, profiles }: Encoding,
  { pages, total, truncated }: PageFacts,
): DocumentFacts {
  return {
    query: selection.spelled.whole,
    base: parts.base(),
    address,
    profiles,
    holds: rule.response.content === 'linkage' ? 'identifiers' : 'items',
    pages,
    total,
    truncated,
  }
}
