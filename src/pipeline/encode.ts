import { noHeaders } from '../context/context.ts'
import { type ApiResponse, noBody, type ResponseBody } from '../http/api-response.ts'
import { encodePathSegment } from '../http/header-value.ts'
import { linkHeader } from '../http/link-header.ts'
import { withProfiles } from '../http/media-uris.ts'
import { notModified } from '../http/precondition.ts'
import type { Result } from '../operation/job.ts'
import { linkageVersion } from '../operation/linkage-version.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import { bytesWithAddresses } from '../store/addresses.ts'
import type { PlacedItem } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { encodeResource } from './encode-resource.ts'
import { representationTag, storedTag } from './entity-tag.ts'
import { includedTexts } from './include-texts.ts'
import { type FoundPage, type PageLinks, pageLinks } from './page-links.ts'
import { partsOf } from './parts-of.ts'
import { isStoredForm } from './represent.ts'
import { needsSeal } from './seals.ts'
import { textChunks } from './text-chunks.ts'
import { withAccept } from './vary.ts'
import { documentChunks, documentText, identifiersAtOnce, linkageChunks, type Writing } from './write-document.ts'
import { writtenItem } from './written-items.ts'

type HeaderFields = Record<string, string>

/** What is known of the answer before its document is. */
export interface Encoding extends Omit<Writing, 'facts'> {
  readonly rule: ModelRule
  /** The URIs of the profiles it follows. */
  readonly profiles: readonly string[]
  readonly address: () => string
}

/** Makes the answer of what an operation came to; at once, where nothing more has to be read for it. */
export function encode(encoding: Encoding, plan: QueryPlan, result: Result): ApiResponse | Promise<ApiResponse> {
  const { status } = encoding.rule.response
  switch (result.kind) {
    case 'removed':
      return { status, headers: headersOf(encoding, {}), body: noBody }
    case 'related':
      return { status, headers: headersOf(encoding, tagged(result.etag)), body: noBody }
    case 'resource':
      return encodeResource(encoding.context, result)
    case 'item':
      return encodeItem(encoding, result.item, status, {})
    case 'unchanged':
      return unchanged(encoding, `"${result.version}"`)
    case 'nothing':
      return encodeLinkage(encoding, { ids: [], many: false, total: undefined, owner: result.owner, whole: false })
    case 'created':
      return encodeItem(encoding, result.item, 201, { location: addressOfItem(encoding, result.item.id) })
    case 'output':
      return encodeOutput(encoding, result, status)
    case 'linkage':
      return encodeLinkage(encoding, result)
    case 'stream':
      return encodeStream(encoding, result)
    case 'texts':
      return encodeTexts(encoding, result)
    case 'page':
      return encodePage(encoding, plan, result)
    case 'textPage':
      return encodeTextPage(encoding, plan, result)
  }
}

/** The headers made for this answer, completed, with those that middleware set. */
function headersOf({ context }: Encoding, headers: HeaderFields): HeaderFields {
  headers.vary = 'Accept'
  headers['x-content-type-options'] = 'nosniff'
  if (context.headers === noHeaders) return headers
  const all: HeaderFields = { ...headers, ...context.headers }
  return { ...all, vary: withAccept(all.vary) }
}

function typeOf({ serializer, profiles }: Encoding): string {
  return profiles.length === 0 ? serializer.mediaType : withProfiles(serializer.mediaType, profiles)
}

function tagged(etag: string | undefined): HeaderFields {
  return etag === undefined ? {} : { etag }
}

function encodeItem(
  encoding: Encoding,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): ApiResponse | Promise<ApiResponse> {
  const { representers, model, selection } = encoding
  const isPlain = isStoredForm(representers.get(model)!, selection)
  return isPlain ? encodePlainItem(encoding, item, status, headers) : encodeMadeItem(encoding, item, status, headers)
}

/** The item goes out as it is stored: its tag is known before its document is made. */
function encodePlainItem(encoding: Encoding, item: StoredItem, status: number, headers: HeaderFields): ApiResponse {
  const { parts, rule, serializer, model } = encoding
  const isKept = rule.method === 'GET' && !serializer.sendsStoredTexts
  const body = (): ResponseBody => {
    const facts = factsOfItem(encoding, headers)
    const { open, afterItems, close } = serializer.one(model, facts)
    if (!isKept)
      return textBody(
        open + serializer.item(model, { kind: 'stored', item }, facts.base, noRemarks) + afterItems + close,
      )
    const written = writtenItem(parts, serializer, model, item).subarray(serializer.between.length)
    return { kind: 'bytes', bytes: Buffer.concat([Buffer.from(open), written, Buffer.from(afterItems + close)]) }
  }
  return conditional(encoding, status, headers, storedTag(item), body)
}

async function encodeMadeItem(
  encoding: Encoding,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): Promise<ApiResponse> {
  const facts = factsOfItem(encoding, headers)
  const text = await documentText({ ...encoding, facts }, encoding.serializer.one(encoding.model, facts), [item])
  return conditional(encoding, status, headers, representationTag(item, text), () => textBody(text))
}

function encodeOutput(
  encoding: Encoding,
  { text, etag }: Extract<Result, { kind: 'output' }>,
  status: number,
): ApiResponse {
  const headers = headersOf(encoding, { 'content-type': typeOf(encoding), ...tagged(etag) })
  return { status, headers, body: { kind: 'text', text } }
}

const noRemarks = Object.freeze({})

/** A new item's document stands at its own address, not at the one it was sent to. */
function factsOfItem(encoding: Encoding, { location }: HeaderFields): DocumentFacts {
  return factsOf(location === undefined ? encoding : { ...encoding, address: () => location }, notPaged)
}

/** Identifiers carry the version of the item whose relation they are. */
async function encodeLinkage(
  encoding: Encoding,
  { ids, many, total, owner, whole }: Omit<Extract<Result, { kind: 'linkage' }>, 'kind'>,
): Promise<ApiResponse> {
  const { serializer, model, selection, context } = encoding
  const writing = { ...encoding, facts: factsOf(encoding, { ...notPaged, total }) }
  const frame = many ? serializer.list(model, writing.facts) : serializer.one(model, writing.facts)
  const chunks = linkageChunks(writing, frame, ids)
  if (selection.include !== undefined) {
    const text = await joined(chunks)
    return conditional(encoding, 200, {}, representationTag(owner, text), () => textBody(text))
  }
  // The identifiers, and what was asked for, are all that the document is made of.
  const isVersioned = whole && owner.hash !== null
  const etag = isVersioned
    ? `"${linkageVersion(owner, ids)}"`
    : representationTag(owner, [context.request.query, ...ids].join('\n'))
  const body = ids.length > identifiersAtOnce ? streamBody(encoding, chunks) : textBody(await joined(chunks))
  return conditional(encoding, 200, {}, etag, () => body)
}

async function joined(chunks: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

function textBody(text: string): ResponseBody {
  return { kind: 'text', text }
}

/** Nothing is read that nobody gets. */
function streamBody({ context }: Encoding, chunks: AsyncIterable<string | Uint8Array>): ResponseBody {
  return context.request.method === 'HEAD' ? noBody : { kind: 'stream', chunks }
}

function unchanged(encoding: Encoding, etag: string): ApiResponse {
  return { status: 304, headers: headersOf(encoding, { etag }), body: noBody }
}

/** The text, unless the client has it already. */
function conditional(
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

async function encodeStream(
  encoding: Encoding,
  { batches, total }: Extract<Result, { kind: 'stream' }>,
): Promise<ApiResponse> {
  const { serializer, model } = encoding
  const headers = headersOf(encoding, { 'content-type': typeOf(encoding) })
  // Nothing is read that nobody gets.
  if (encoding.context.request.method === 'HEAD') return { status: 200, headers, body: noBody }
  const facts = factsOf(encoding, { ...notPaged, total })
  const chunks = await documentChunks({ ...encoding, facts }, serializer.list(model, facts), batches)
  return { status: 200, headers, body: { kind: 'stream', chunks } }
}

async function encodeTexts(
  encoding: Encoding,
  { batches, total }: Extract<Result, { kind: 'texts' }>,
): Promise<ApiResponse> {
  const { serializer, model } = encoding
  const headers = headersOf(encoding, { 'content-type': typeOf(encoding) })
  if (encoding.context.request.method === 'HEAD') return { status: 200, headers, body: noBody }
  const frame = serializer.list(model, factsOf(encoding, { ...notPaged, total }))
  const texts = model.slots.length === 0 ? batches : addressed(batches, encoding.parts.base())
  return { status: 200, headers, body: { kind: 'stream', chunks: await textChunks(encoding, frame, texts) } }
}

async function* addressed(batches: AsyncIterable<Uint8Array>, base: string): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) yield bytesWithAddresses(batch, base)
}

async function encodePage(
  encoding: Encoding,
  plan: QueryPlan,
  found: Extract<Result, { kind: 'page' }>,
): Promise<ApiResponse> {
  const { parts, rule, serializer, model } = encoding
  const { items, more, total } = found
  const pages = linksOf(encoding, plan, { first: items[0]?.position, last: items.at(-1)?.position, more, total })
  const facts = factsOf(encoding, { pages, total, truncated: isTruncated(plan, found) })
  const sealed = needsSeal(parts, rule.view, plan.sort)
  const write = (placed: PlacedItem) => parts.cursors.write(plan.sort, placed.position, sealed)
  const cursors = encoding.selection.tellsPlaces ? items.map(write) : undefined
  const stored = items.map((placed) => placed.item)
  const text = await documentText({ ...encoding, facts }, serializer.list(model, facts), stored, cursors)
  return { status: 200, headers: pageHeaders(encoding, pages), body: { kind: 'text', text } }
}

async function encodeTextPage(
  encoding: Encoding,
  plan: QueryPlan,
  { page, total }: Extract<Result, { kind: 'textPage' }>,
): Promise<ApiResponse> {
  const { serializer, model, selection } = encoding
  const pages = linksOf(encoding, plan, { ...page, total })
  const facts = factsOf(encoding, { pages, total, truncated: isTruncated(plan, page) })
  const frame = serializer.list(model, facts)
  const included = selection.include ? await includedTexts({ ...encoding, facts }, frame, page.linked) : []
  const parts = partsOf([frame.open, page.texts, frame.afterItems, ...included, frame.close])
  return { status: 200, headers: pageHeaders(encoding, pages), body: { kind: 'parts', parts } }
}

/** Does a page between two places hold less than lies between them? */
function isTruncated({ window }: QueryPlan, { more }: { readonly more: boolean }): boolean {
  return window.kind === 'between' && more
}

function linksOf({ parts, rule, selection, address }: Encoding, plan: QueryPlan, found: FoundPage): PageLinks {
  return pageLinks(parts, rule.view, address(), selection.spelled, selection.page, plan, found)
}

function pageHeaders(encoding: Encoding, pages: PageLinks): HeaderFields {
  const headers: HeaderFields = { 'content-type': typeOf(encoding) }
  if (encoding.rule.response.headers.link) {
    headers.link = linkHeader(Object.entries(pages).flatMap(([rel, href]) => (href === null ? [] : { rel, href })))
  }
  return headersOf(encoding, headers)
}

type PageFacts = Pick<DocumentFacts, 'pages' | 'total' | 'truncated'>

const notPaged: PageFacts = Object.freeze({ pages: undefined, total: undefined, truncated: false })

function factsOf(
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

function addressOfItem({ parts, model }: Encoding, id: string): string {
  return `${parts.base()}/${model.plural}/${encodePathSegment(id)}`
}
