import { yieldIfBusy } from '../concurrency/yield-to-event-loop.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { Chunk } from '../http/chunk.ts'
import { formatLinkHeader } from '../http/headers/link-header.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import type { PageOfItems } from '../operation/unread-list.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { DocumentFrame } from '../serializer/serializer.ts'
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
  { page, total }: Extract<OperationResult, { kind: 'page' }>,
): Promise<ApiResponse> {
  const { endpoint, selection } = responseContext
  const strategy = endpoint.listStrategy(selection)
  const rawPage =
    strategy.kind === 'rawJson'
      ? await page.readRawJson(strategy.includedRelations, endpoint.rawLineWriter.format)
      : undefined
  const pageOfItems = rawPage ? undefined : await page.readItems()
  await yieldIfBusy()
  return rawPage
    ? encodeRawPage(responseContext, plan, rawPage, total)
    : encodePageOfItems(responseContext, plan, pageOfItems!, total)
}

async function encodePageOfItems(
  responseContext: ResponseContext,
  plan: QueryPlan,
  { entries, batches, hasMore }: PageOfItems,
  total: number | undefined,
): Promise<ApiResponse> {
  const { services, endpoint, selection } = responseContext
  const { rule, serializer, model } = endpoint
  const bounds: PageBounds = {
    firstPosition: entries[0]?.position,
    lastPosition: entries.at(-1)?.position,
    hasMore,
    total,
  }
  const links = linksOfPage(responseContext, plan, bounds)
  const facts = factsOfPage(responseContext, plan, links, bounds)
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

async function encodeRawPage(
  responseContext: ResponseContext,
  plan: QueryPlan,
  page: RawJsonPage,
  total: number | undefined,
): Promise<ApiResponse> {
  const { endpoint, selection } = responseContext
  const { serializer, model, rawLineWriter } = endpoint
  const bounds: PageBounds = { ...page, total }
  const links = linksOfPage(responseContext, plan, bounds)
  const facts = factsOfPage(responseContext, plan, links, bounds)
  const frame = serializer.listFrame(model, facts)
  const items = page.lines.length > 0 ? rawLineWriter.write(model, page.lines) : frame.emptyItems
  const document = selection.include
    ? await wholeOrStream(
        responseContext,
        withIncluded([frame.open, items], { ...responseContext, facts }, frame, page),
      )
    : wholeDocument([frame.open, items, frame.afterItems + frame.close])
  return pageResponse(responseContext, links, document)
}

async function* withIncluded(
  primary: readonly Chunk[],
  documentContext: DocumentContext,
  frame: DocumentFrame,
  { linkedIds }: RawJsonPage,
): AsyncGenerator<Chunk> {
  yield* primary
  yield* writeRawIncluded(documentContext, frame, linkedIds)
}

function factsOfPage(
  responseContext: ResponseContext,
  { pageRange }: QueryPlan,
  pageLinks: PageLinks,
  { total, hasMore }: PageBounds,
) {
  // A page between two cursors may hold fewer items than lie between them.
  const isTruncated = pageRange.kind === 'between' && hasMore
  return documentFacts(responseContext, { pageLinks, total, isTruncated })
}

async function pageResponse(
  responseContext: ResponseContext,
  links: PageLinks,
  document: DocumentBody,
): Promise<ApiResponse> {
  const body =
    document.kind === 'stream'
      ? await startedStreamBody(responseContext, document.chunks)
      : document
  return { status: 200, headers: pageHeaders(responseContext, links), body }
}

function linksOfPage(
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

function pageHeaders(responseContext: ResponseContext, links: PageLinks): ResponseHeaders {
  const headers: HeaderFields = { 'content-type': contentType(responseContext) }
  if (responseContext.endpoint.rule.response.headers.link) {
    headers.link = formatLinkHeader(
      Object.entries(links).flatMap(([rel, href]) => (href === null ? [] : { rel, href })),
    )
  }
  return responseHeaders(responseContext, headers)
}
