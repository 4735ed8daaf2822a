import { isEventLoopBusy, yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { formatLinkHeader, type TypedLink } from '../http/headers/link-header.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import type { PageOfItems } from '../operation/unread-list.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { RawJsonPage } from '../store/store-reader.ts'
import { needsEncryptedCursors } from './cursor-encryption.ts'
import type { DocumentContext } from './document-context.ts'
import { type PageBounds, type PageLinks, pageLinks } from './page-links.ts'
import {
  contentType,
  documentFacts,
  type HeaderFields,
  type ResponseContext,
  responseHeaders,
  startedStreamBody,
} from './response-context.ts'
import { type DocumentBody, wholeDocument, wholeOrStream } from './whole-or-stream.ts'
import { writeDocument } from './write-document.ts'
import { writeRawIncluded } from './write-raw-included.ts'

/** A page: from raw JSON where the store and the request allow it, else item by item. */
export async function encodePage(
  responseContext: ResponseContext,
  plan: QueryPlan,
  { page, total, summary }: Extract<OperationResult, { kind: 'page' }>,
): Promise<ApiResponse> {
  const { endpoint, selection } = responseContext
  const strategy = endpoint.listStrategy(selection)
  const rawPage =
    strategy.kind === 'rawJson'
      ? await page.readRawJson(strategy.includedRelations, endpoint.rawLineWriter.format)
      : undefined
  const pageOfItems = rawPage ? undefined : await page.readItems()
  if (isEventLoopBusy()) await yieldToEventLoop()
  return rawPage
    ? encodeRawPage(responseContext, plan, rawPage, { total, summary })
    : encodePageOfItems(responseContext, plan, pageOfItems!, { total, summary })
}

async function encodePageOfItems(
  responseContext: ResponseContext,
  plan: QueryPlan,
  { entries, batches, hasMore }: PageOfItems,
  known: Pick<DocumentFacts, 'total' | 'summary'>,
): Promise<ApiResponse> {
  const { services, endpoint, selection } = responseContext
  const { rule, serializer, model } = endpoint
  const bounds: PageBounds = {
    firstPosition: entries[0]?.position,
    lastPosition: entries.at(-1)?.position,
    hasMore,
    total: known.total,
  }
  const links = linksOfPage(responseContext, plan, bounds)
  const facts = factsOfPage(responseContext, plan, links, bounds, known.summary)
  const isEncrypted = needsEncryptedCursors(services, rule.view, plan.sort)
  const cursors = selection.hasItemCursors
    ? new Map(
        entries.map(({ id, position }) => [
          id,
          services.cursorCodec.encode(plan.sort, position, isEncrypted),
        ]),
      )
    : undefined
  const document = await writeDocument(
    { ...responseContext, facts },
    serializer.listFrame(model, facts),
    batches,
    cursors,
  )
  return pageResponse(responseContext, links, document)
}

function encodeRawPage(
  responseContext: ResponseContext,
  plan: QueryPlan,
  page: RawJsonPage,
  known: Pick<DocumentFacts, 'total' | 'summary'>,
): ApiResponse | Promise<ApiResponse> {
  const { services, endpoint, selection, context } = responseContext
  const { serializer, model, rawLineWriter } = endpoint
  const { lines, firstPosition, lastPosition, hasMore } = page
  const bounds: PageBounds = {
    firstPosition,
    lastPosition,
    hasMore,
    total: known.total,
  }
  const links = linksOfPage(responseContext, plan, bounds)
  const facts = factsOfPage(responseContext, plan, links, bounds, known.summary)
  const frame = serializer.listFrame(model, facts)
  const items = lines.length > 0 ? rawLineWriter.write(model, lines) : frame.emptyItems
  if (!selection.include) {
    const document = wholeDocument([frame.open, items, frame.afterItems + frame.close])
    return pageResponse(responseContext, links, document)
  }
  const documentContext: DocumentContext = { services, endpoint, selection, context, facts }
  const included = writeRawIncluded(documentContext, frame, page.linkedIds)
  return wholeOrStream(responseContext, included, undefined, [frame.open, items]).then((document) =>
    pageResponse(responseContext, links, document),
  )
}

function factsOfPage(
  responseContext: ResponseContext,
  { pageRange }: QueryPlan,
  pageLinks: PageLinks,
  { total, hasMore }: PageBounds,
  summary: string,
) {
  // A page between two cursors may hold fewer items than lie between them.
  const isTruncated = pageRange.kind === 'between' && hasMore
  return documentFacts(responseContext, { pageLinks, total, isTruncated, summary })
}

function pageResponse(
  responseContext: ResponseContext,
  links: PageLinks,
  document: DocumentBody,
): ApiResponse | Promise<ApiResponse> {
  const headers = pageHeaders(responseContext, links)
  return document.kind === 'stream'
    ? startedStreamBody(responseContext, document.chunks).then((body) => ({
        status: 200,
        headers,
        body,
      }))
    : { status: 200, headers, body: document }
}

export function linksOfPage(
  { services, endpoint, selection, address }: ResponseContext,
  plan: QueryPlan,
  page: PageBounds,
): PageLinks {
  return pageLinks(
    services,
    endpoint.rule.view,
    address(),
    selection.canonicalQuery,
    selection.page,
    plan,
    page,
  )
}

export function pageHeaders(responseContext: ResponseContext, links: PageLinks): ResponseHeaders {
  const headers: HeaderFields = { 'content-type': contentType(responseContext) }
  const { endpoint, selection } = responseContext
  if (endpoint.rule.response.headers.link && selection.canonicalQuery) {
    const typedLinks: TypedLink[] = []
    for (const rel in links) {
      const href = links[rel]
      if (typeof href === 'string') typedLinks.push({ rel, href })
    }
    headers.link = formatLinkHeader(typedLinks)
  }
  return responseHeaders(responseContext, headers)
}
