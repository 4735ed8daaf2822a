import type { ApiResponse } from '../http/api-response.ts'
import { linkageVersion } from '../operation/linkage/linkage-version.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import {
  bytesPerIdentifier,
  closeAfterSending,
  DocumentBudget,
  documentBudgetOf,
  maxUnbudgetedIds,
} from './document-budget.ts'
import { linkageTag, uniqueLinkageTag } from './item-tags.ts'
import {
  conditionalResponse,
  contentType,
  documentFacts,
  notPaged,
  type ResponseContext,
  responseHeaders,
  startedStreamBody,
  streamBody,
  textBody,
} from './response-context.ts'
import { wholeOrStream } from './whole-or-stream.ts'
import { collectorOf } from './write-included.ts'
import { identifiersPerChunk, writeLinkage } from './write-linkage.ts'

type LinkageResult = Omit<Extract<OperationResult, { kind: 'linkage' }>, 'kind'>

export async function encodeLinkage(
  responseContext: ResponseContext,
  result: LinkageResult,
): Promise<ApiResponse> {
  const { services, context } = responseContext
  const budget = new DocumentBudget(documentBudgetOf(services), context)
  let response: ApiResponse
  try {
    const ids = await collectIds(result.idBatches, budget)
    response = await linkageResponse(responseContext, result, ids, budget)
  } catch (error) {
    budget.close()
    throw error
  }
  return closeAfterSending(response, budget)
}

async function collectIds(
  idBatches: LinkageResult['idBatches'],
  budget: DocumentBudget,
): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const batch of idBatches) {
    for (const id of batch) ids.push(id)
    if (ids.length > maxUnbudgetedIds) await budget.acquire(ids.length * bytesPerIdentifier)
  }
  budget.release()
  return ids
}

/** The tag of a linkage begins with the version of the owner. */
async function linkageResponse(
  responseContext: ResponseContext,
  { isToMany, withCount, owner, isComplete }: LinkageResult,
  ids: readonly string[],
  budget: DocumentBudget,
): Promise<ApiResponse> {
  const { endpoint, selection, context } = responseContext
  const { serializer, model } = endpoint
  const total = withCount ? ids.length : undefined
  const documentContext = {
    ...responseContext,
    facts: documentFacts(responseContext, { ...notPaged, total }),
  }
  const frame = isToMany
    ? serializer.listFrame(model, documentContext.facts)
    : serializer.itemFrame(model, documentContext.facts)
  const collector = collectorOf(documentContext, budget)
  const chunks = writeLinkage(documentContext, frame, ids, collector)
  if (collector) {
    const document = await wholeOrStream(responseContext, chunks, collector)
    if (document.kind !== 'stream')
      return conditionalResponse(
        responseContext,
        200,
        {},
        linkageTag(owner, document),
        () => document,
      )
    const headers = responseHeaders(responseContext, {
      'content-type': contentType(responseContext),
      etag: uniqueLinkageTag(owner),
    })
    return { status: 200, headers, body: await startedStreamBody(responseContext, document.chunks) }
  }
  // The document depends on the identifiers and the query string alone.
  const query = selection.canonicalQuery?.complete ?? context.request.query
  const isVersioned = isComplete && owner.hash !== null
  const etag = isVersioned
    ? `"${linkageVersion(owner, ids)}"`
    : linkageTag(owner, { kind: 'text', text: [query, ...ids].join('\n') })
  const body =
    ids.length > identifiersPerChunk
      ? streamBody(responseContext, chunks)
      : textBody(await joinChunks(chunks))
  return conditionalResponse(responseContext, 200, {}, etag, () => body)
}

async function joinChunks(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of chunks)
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
  return text
}
