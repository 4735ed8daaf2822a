import { noHeaders } from '../context/context.ts'
import { type ApiResponse, noBody, type ResponseBody } from '../http/api-response.ts'
import { withProfiles } from '../http/headers/media-type-uris.ts'
import { isNotModified } from '../http/headers/precondition.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import { withAccept } from '../http/headers/vary.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { DocumentCache } from './document-cache.ts'
import type { DocumentContext } from './write-document.ts'

export type HeaderFields = Record<string, string>

/** What is known of the answer before its document is. */
export interface ResponseContext extends Omit<DocumentContext, 'facts'> {
  readonly rule: ModelRule
  /** The URIs of the profiles it follows. */
  readonly profiles: readonly string[]
  readonly address: () => string
  /** Undefined where documents are made anew each time. */
  readonly documentCache: DocumentCache | undefined
}

/** The headers made for this answer, completed, with those that middleware set. */
export function responseHeaders(
  { context, rule }: ResponseContext,
  headers: HeaderFields,
): ResponseHeaders {
  if (rule.isPersonal) headers['cache-control'] = 'private, no-cache'
  headers.vary = 'Accept'
  headers['x-content-type-options'] = 'nosniff'
  if (context.headers === noHeaders) return headers
  const all: ResponseHeaders = { ...headers, ...context.headers }
  return { ...all, vary: withAccept(all.vary) }
}

export function contentType({ serializer, profiles }: ResponseContext): string {
  return profiles.length === 0 ? serializer.mediaType : withProfiles(serializer.mediaType, profiles)
}

export function etagHeader(etag: string | undefined): HeaderFields {
  return etag === undefined ? {} : { etag }
}

export function textBody(text: string): ResponseBody {
  return { kind: 'text', text }
}

/** Nothing is read that nobody gets. */
export function streamBody(
  { context }: ResponseContext,
  chunks: AsyncIterable<string | Uint8Array>,
): ResponseBody {
  return context.request.method === 'HEAD' ? noBody : { kind: 'stream', chunks }
}

/**
 * The same of chunks that are being written already: where they are not wanted, that is given up.
 */
export async function startedStreamBody(
  encoding: ResponseContext,
  chunks: AsyncGenerator<string | Uint8Array>,
): Promise<ResponseBody> {
  const body = streamBody(encoding, chunks)
  if (body.kind === 'empty') await chunks.return(undefined)
  return body
}

export function notModifiedResponse(encoding: ResponseContext, etag: string): ApiResponse {
  return { status: 304, headers: responseHeaders(encoding, { etag }), body: noBody }
}

/** The text, unless the client has it already. */
export function conditionalResponse(
  encoding: ResponseContext,
  status: number,
  headers: HeaderFields,
  etag: string,
  body: () => ResponseBody,
): ApiResponse {
  const { method, headers: sent } = encoding.context.request
  if ((method === 'GET' || method === 'HEAD') && isNotModified(sent, etag))
    return notModifiedResponse(encoding, etag)
  headers['content-type'] = contentType(encoding)
  headers.etag = etag
  return { status, headers: responseHeaders(encoding, headers), body: body() }
}

type PageFacts = Pick<DocumentFacts, 'pageLinks' | 'total' | 'isTruncated'>

export const notPaged: PageFacts = Object.freeze({
  pageLinks: undefined,
  total: undefined,
  isTruncated: false,
})

export function documentFacts(
  { services, rule, selection, address, profiles }: ResponseContext,
  { pageLinks, total, isTruncated }: PageFacts,
): DocumentFacts {
  return {
    query: selection.canonicalQuery.complete,
    urlPrefix: services.urlPrefix(),
    address,
    profiles,
    content: rule.response.content === 'linkage' ? 'identifiers' : 'items',
    pageLinks,
    total,
    isTruncated,
  }
}
