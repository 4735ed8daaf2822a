import { noHeaders } from '../context/context.ts'
import { type ApiResponse, noBody, type ResponseBody } from '../http/api-response.ts'
import { closeBody } from '../http/close-body.ts'
import { formatContentDisposition } from '../http/headers/content-disposition.ts'
import { withProfiles } from '../http/headers/media-type-uris.ts'
import { isNotModified } from '../http/headers/precondition.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import { addedVary } from '../http/headers/vary.ts'
import { isSafe } from '../http/safe-method.ts'
import type { FeedRule, ModelRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { DocumentCache } from './document-cache.ts'
import type { DocumentContext, DocumentEndpoint } from './document-context.ts'
import type { ListStrategy } from './list-strategy.ts'

export type HeaderFields = Record<string, string>

/** What registration decides about the responses of a rule. */
export interface ResponseEndpoint extends DocumentEndpoint {
  readonly rule: ModelRule
  listStrategy(selection: Selection): ListStrategy
}

/** What is known about a response before its document is written. */
export interface ResponseContext extends Omit<DocumentContext, 'facts'> {
  readonly endpoint: ResponseEndpoint
  /** The URIs of the profiles that the document follows. */
  readonly profiles: readonly string[]
  readonly address: () => string
  /** Undefined where the document depends on more than the item. */
  readonly documentCache: DocumentCache | undefined
  /** See `Changes-Position`. */
  readonly changesPosition: string | undefined
}

/** What is known about a response with changes, of one model or of several. */
export interface ChangesContext
  extends Pick<
    ResponseContext,
    'services' | 'selection' | 'context' | 'profiles' | 'changesPosition'
  > {
  readonly endpoint: ChangesEndpoint
}

/** What registration decides about responses with changes. */
export interface ChangesEndpoint extends Pick<DocumentEndpoint, 'serializer' | 'representers'> {
  readonly rule: ModelRule | FeedRule
}

/** The headers of the response, together with those that middleware set. */
export function responseHeaders(
  {
    context,
    endpoint: { rule },
    changesPosition,
    selection: { download },
  }: Pick<ChangesContext, 'context' | 'endpoint' | 'changesPosition' | 'selection'>,
  headers: HeaderFields,
): ResponseHeaders {
  if (changesPosition !== undefined) headers['changes-position'] = changesPosition
  if (rule.isPersonal) headers['cache-control'] = 'private, no-cache'
  if (download !== undefined)
    headers['content-disposition'] = formatContentDisposition('attachment', download)
  headers.vary = rule.vary
  headers['x-content-type-options'] = 'nosniff'
  if (context.headers === noHeaders) return headers
  return { ...headers, ...context.headers, vary: addedVary(rule.vary, context.headers.vary) }
}

export function contentType({
  endpoint,
  profiles,
}: Pick<ChangesContext, 'endpoint' | 'profiles'>): string {
  const { serializer } = endpoint
  return profiles.length === 0 ? serializer.mediaType : withProfiles(serializer.mediaType, profiles)
}

export function etagHeader(etag: string | undefined): HeaderFields {
  return etag === undefined ? {} : { etag }
}

export function textBody(text: string): ResponseBody {
  return { kind: 'text', text }
}

export function bytesBody(bytes: Uint8Array): ResponseBody {
  return { kind: 'bytes', bytes }
}

/** A response to HEAD has no body, so the chunks are not read. */
export function streamBody(
  { context }: ResponseContext,
  chunks: AsyncIterable<string | Uint8Array>,
): ResponseBody {
  return context.request.method === 'HEAD' ? noBody : { kind: 'stream', chunks }
}

/**
 * Like `streamBody`, for chunks whose reading has started: they are closed if they are not sent.
 */
export async function startedStreamBody(
  responseContext: ResponseContext,
  chunks: AsyncIterable<string | Uint8Array>,
): Promise<ResponseBody> {
  const body = streamBody(responseContext, chunks)
  if (body.kind === 'empty') await closeBody({ kind: 'stream', chunks })
  return body
}

export function notModifiedResponse(responseContext: ResponseContext, etag: string): ApiResponse {
  return { status: 304, headers: responseHeaders(responseContext, { etag }), body: noBody }
}

/** The response, or 304 if the client has this representation. */
export function conditionalResponse(
  responseContext: ResponseContext,
  status: number,
  headers: HeaderFields,
  etag: string,
  body: () => ResponseBody,
): ApiResponse {
  const { request } = responseContext.context
  if (isSafe(request) && isNotModified(request.headers, etag))
    return notModifiedResponse(responseContext, etag)
  headers['content-type'] = contentType(responseContext)
  headers.etag = etag
  return { status, headers: responseHeaders(responseContext, headers), body: body() }
}

type PageFacts = Pick<DocumentFacts, 'pageLinks' | 'total' | 'isTruncated' | 'summary'>

export const notPaged: PageFacts = Object.freeze({
  pageLinks: undefined,
  total: undefined,
  isTruncated: false,
  summary: '',
})

export function documentFacts(
  { services, endpoint: { rule }, selection, address, profiles }: ResponseContext,
  { pageLinks, total, isTruncated, summary }: PageFacts,
): DocumentFacts {
  const { canonicalQuery } = selection
  return {
    query: canonicalQuery?.complete,
    urlPrefix: services.urlPrefix(),
    address,
    profiles,
    content: rule.response.content === 'linkage' ? 'identifiers' : 'items',
    pageLinks: canonicalQuery && pageLinks,
    pageParameters: canonicalQuery ? undefined : pageLinks,
    total,
    isTruncated,
    members: selection.fields.get(rule.view.model.plural),
    summary,
    can: undefined,
  }
}
