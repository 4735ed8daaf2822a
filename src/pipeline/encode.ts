import { type Context, noHeaders } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { noBody } from '../http/api-response.ts'
import { encodePathSegment } from '../http/header-value.ts'
import { linkHeader } from '../http/link-header.ts'
import { notModified } from '../http/precondition.ts'
import type { Result } from '../operation/job.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { representationTag, storedTag } from './entity-tag.ts'
import { type FoundPage, type PageLinks, pageLinks } from './page-links.ts'
import { textChunks } from './text-chunks.ts'
import { documentChunks, documentText, type Writing } from './write-document.ts'

type HeaderFields = Record<string, string>

/** Makes the answer of what an operation came to; at once, where nothing more has to be read for it. */
export function encode(
  writing: Omit<Writing, 'facts'>,
  plan: QueryPlan,
  result: Result,
): ApiResponse | Promise<ApiResponse> {
  switch (result.kind) {
    case 'removed':
      return { status: writing.context.rule.response.status, headers: headersOf(writing, {}), body: noBody }
    case 'item':
      return encodeItem(writing, result.item, writing.context.rule.response.status, {})
    case 'created':
      return encodeItem(writing, result.item, 201, { location: addressOf(writing, result.item.id) })
    case 'stream':
      return encodeStream(writing, result)
    case 'texts':
      return encodeTexts(writing, result)
    case 'page':
      return encodePage(writing, plan, result)
    case 'textPage':
      return encodeTextPage(writing, plan, result)
  }
}

/** The headers made for this answer, completed, with those that middleware set. */
function headersOf({ context }: Omit<Writing, 'facts'>, headers: HeaderFields): HeaderFields {
  headers.vary = 'Accept'
  headers['x-content-type-options'] = 'nosniff'
  return context.headers === noHeaders ? headers : { ...headers, ...context.headers }
}

function encodeItem(
  writing: Omit<Writing, 'facts'>,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): ApiResponse | Promise<ApiResponse> {
  const { representers, model, selection } = writing
  const isPlain = selection.include === undefined && representers.get(model)!.isPlain(selection.fields)
  return isPlain ? encodePlainItem(writing, item, status, headers) : encodeMadeItem(writing, item, status, headers)
}

/** The item goes out as it is stored: its tag is known before its document is made. */
function encodePlainItem(
  writing: Omit<Writing, 'facts'>,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): ApiResponse {
  const { serializer, model, context } = writing
  headers.etag = storedTag(item)
  if (isKnown(context, headers.etag)) return { status: 304, headers: headersOf(writing, headers), body: noBody }
  headers['content-type'] = serializer.mediaType
  const facts = factsOf(writing, undefined, undefined)
  const { open, afterItems, close } = serializer.one(model, facts)
  const text = open + serializer.item(model, { kind: 'stored', item }, facts) + afterItems + close
  return { status, headers: headersOf(writing, headers), body: { kind: 'text', text } }
}

async function encodeMadeItem(
  writing: Omit<Writing, 'facts'>,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): Promise<ApiResponse> {
  const { serializer, model, context } = writing
  const facts = factsOf(writing, undefined, undefined)
  const text = await documentText({ ...writing, facts }, serializer.one(model, facts), [item])
  headers.etag = representationTag(item, text)
  if (isKnown(context, headers.etag)) return { status: 304, headers: headersOf(writing, headers), body: noBody }
  headers['content-type'] = serializer.mediaType
  return { status, headers: headersOf(writing, headers), body: { kind: 'text', text } }
}

/** Has the client, which only reads, this representation already? */
function isKnown({ request: { method, headers } }: Context, etag: string): boolean {
  return (method === 'GET' || method === 'HEAD') && notModified(headers, etag)
}

async function encodeStream(
  writing: Omit<Writing, 'facts'>,
  { batches, total }: Extract<Result, { kind: 'stream' }>,
): Promise<ApiResponse> {
  const { serializer, model } = writing
  const headers = headersOf(writing, { 'content-type': serializer.mediaType })
  // Nothing is read that nobody gets.
  if (writing.context.request.method === 'HEAD') return { status: 200, headers, body: noBody }
  const facts = factsOf(writing, undefined, total)
  const chunks = await documentChunks({ ...writing, facts }, serializer.list(model, facts), batches)
  return { status: 200, headers, body: { kind: 'stream', chunks } }
}

async function encodeTexts(
  writing: Omit<Writing, 'facts'>,
  { batches, total }: Extract<Result, { kind: 'texts' }>,
): Promise<ApiResponse> {
  const { serializer, model } = writing
  const headers = headersOf(writing, { 'content-type': serializer.mediaType })
  if (writing.context.request.method === 'HEAD') return { status: 200, headers, body: noBody }
  const frame = serializer.list(model, factsOf(writing, undefined, total))
  return { status: 200, headers, body: { kind: 'stream', chunks: await textChunks(writing, frame, batches) } }
}

async function encodePage(
  writing: Omit<Writing, 'facts'>,
  plan: QueryPlan,
  found: Extract<Result, { kind: 'page' }>,
): Promise<ApiResponse> {
  const { serializer, model } = writing
  const { items, more, total } = found
  const pages = linksOf(writing, plan, { first: items[0]?.position, last: items.at(-1)?.position, more, total })
  const facts = factsOf(writing, pages, total)
  const stored = items.map((placed) => placed.item)
  const text = await documentText({ ...writing, facts }, serializer.list(model, facts), stored)
  return { status: 200, headers: pageHeaders(writing, pages), body: { kind: 'text', text } }
}

function encodeTextPage(
  writing: Omit<Writing, 'facts'>,
  plan: QueryPlan,
  { page, total }: Extract<Result, { kind: 'textPage' }>,
): ApiResponse {
  const { serializer, model } = writing
  const pages = linksOf(writing, plan, { ...page, total })
  const { open, afterItems, close } = serializer.list(model, factsOf(writing, pages, total))
  const bytes = Buffer.concat([Buffer.from(open), page.texts, Buffer.from(afterItems + close)])
  return { status: 200, headers: pageHeaders(writing, pages), body: { kind: 'bytes', bytes } }
}

function linksOf(
  { parts, model, selection, context }: Omit<Writing, 'facts'>,
  plan: QueryPlan,
  found: FoundPage,
): PageLinks {
  const address = `${parts.base()}/${model.plural}`
  return pageLinks(parts, context.rule.view, context.request, address, selection.page, plan, found)
}

function pageHeaders(writing: Omit<Writing, 'facts'>, pages: PageLinks): HeaderFields {
  const links = Object.entries(pages).flatMap(([rel, href]) => (href === null ? [] : { rel, href }))
  return headersOf(writing, { 'content-type': writing.serializer.mediaType, link: linkHeader(links) })
}

function factsOf(
  { parts, context }: Omit<Writing, 'facts'>,
  pages: DocumentFacts['pages'],
  total: number | undefined,
): DocumentFacts {
  return { request: context.request, base: parts.base(), pages, total }
}

function addressOf({ parts, model }: Omit<Writing, 'facts'>, id: string): string {
  return `${parts.base()}/${model.plural}/${encodePathSegment(id)}`
}
