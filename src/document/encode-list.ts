import type { ApiResponse } from '../http/api-response.ts'
import type { Chunk } from '../http/chunk.ts'
import { freeBytes, ownBytes } from '../http/owned-bytes.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import type { DocumentFacts, DocumentFrame } from '../serializer/serializer.ts'
import { insertBaseAddressInBytes } from '../stored-item/insert-base-address.ts'
import type { DocumentContext } from './document-context.ts'
import { frameBatches } from './frame-batches.ts'
import {
  contentType,
  documentFacts,
  notPaged,
  type ResponseContext,
  responseHeaders,
} from './response-context.ts'
import { streamDocument } from './write-document.ts'

/** A whole list, read while it is sent: as raw JSON where the store and the request allow it. */
export function encodeList(
  responseContext: ResponseContext,
  { list, total, summary }: Extract<OperationResult, { kind: 'list' }>,
): ApiResponse {
  const { selection, endpoint } = responseContext
  const strategy = endpoint.listStrategy(selection)
  const rawBatches =
    strategy.kind === 'rawJson' && strategy.isWholeListRaw ? list.readRawJson() : undefined
  return streamResponse(responseContext, { total, summary }, (documentContext, frame) =>
    rawBatches
      ? frameRawBatches(documentContext, frame, rawBatches)
      : streamDocument(documentContext, frame, list.readItems()),
  )
}

function streamResponse(
  responseContext: ResponseContext,
  known: Pick<DocumentFacts, 'total' | 'summary'>,
  write: (documentContext: DocumentContext, frame: DocumentFrame) => AsyncIterable<Chunk>,
): ApiResponse {
  const { endpoint } = responseContext
  const headers = responseHeaders(responseContext, { 'content-type': contentType(responseContext) })
  const facts = documentFacts(responseContext, { ...notPaged, ...known })
  const chunks = write(
    { ...responseContext, facts },
    endpoint.serializer.listFrame(endpoint.model, facts),
  )
  return { status: 200, headers, body: { kind: 'stream', chunks } }
}

function frameRawBatches(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  batches: AsyncIterable<Uint8Array>,
): AsyncIterable<Chunk> {
  const { endpoint, services } = documentContext
  const { model } = endpoint
  const batchesWithAddresses =
    model.resourcePaths.length === 0 ? batches : withAddresses(batches, services.urlPrefix())
  return frameBatches(documentContext, frame, batchesWithAddresses, {
    writeItems: (head, text) => [head, text],
    writeIncluded: undefined,
  })
}

async function* withAddresses(
  batches: AsyncIterable<Uint8Array>,
  base: string,
): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    const batchWithAddresses = insertBaseAddressInBytes(batch, base)
    if (batchWithAddresses !== batch) freeBytes(batch)
    yield batchWithAddresses === batch ? batch : ownBytes(batchWithAddresses)
  }
}
