import type { RequestBody } from '../http/api-request.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { idEquals, toFieldPath } from '../query/conditions.ts'
import { allItemsPlan, type Condition } from '../query/query-plan.ts'
import { internalModel } from '../store/internal-model.ts'
import type { Store } from '../store/store.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoreTransaction } from '../store/store-transaction.ts'
import { createStoredItem, readStoredValues } from '../stored-item/create-stored-item.ts'

/** The bytes of a chunk of a body. Base64 makes a third more of them. */
const chunkBytes = 196_608

/** The chunks of bodies whose jobs have not ended. */
export const bodyChunkModel: ModelDescription = internalModel('bodyChunk', 'body_chunks', {
  job: { type: 'string', isIndexed: true },
  keptAtMs: { type: 'integer', isIndexed: true },
  bytes: 'string',
})

/**
 * Keeps a body as it arrives.
 * @param refuse called when it has more bytes than it may have
 * @returns the number of chunks
 */
export async function keepBody(
  store: Store,
  job: string,
  body: AsyncIterable<Uint8Array>,
  { maxBytes, refuse }: { readonly maxBytes: number; refuse(): never },
): Promise<number> {
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let totalBytes = 0
  let count = 0
  const keep = async () => {
    const bytes = Buffer.concat(waiting).toString('base64')
    const values = { id: chunkId(job, count++), job, keptAtMs: Date.now(), bytes }
    const item = createStoredItem(bodyChunkModel, values, 1)
    await store.write((transaction) => transaction.insert(bodyChunkModel, item))
    waiting = []
    waitingBytes = 0
  }
  for await (const chunk of body) {
    totalBytes += chunk.length
    if (totalBytes > maxBytes) refuse()
    for (let start = 0; start < chunk.length; start += chunkBytes) {
      // A copy: hosts may use the memory of a chunk again.
      const part = Buffer.from(chunk.subarray(start, start + chunkBytes))
      waiting.push(part)
      waitingBytes += part.length
      if (waitingBytes >= chunkBytes) await keep()
    }
  }
  if (waitingBytes > 0) await keep()
  return count
}

/** A body as it was kept; undefined without chunks. */
export function keptBody(
  reader: StoreReader,
  job: string,
  chunkCount: number,
): RequestBody | undefined {
  if (chunkCount === 0) return undefined
  const stream = () => chunksOf(reader, job, chunkCount)
  return {
    stream,
    bytes: async () => {
      const chunks: Uint8Array[] = []
      for await (const chunk of stream()) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
  }
}

async function* chunksOf(
  reader: StoreReader,
  job: string,
  chunkCount: number,
): AsyncGenerator<Uint8Array, void> {
  for (let number = 0; number < chunkCount; number++) {
    const item = await reader.find(bodyChunkModel, idEquals(chunkId(job, number)))
    if (!item) throw new Error(`A part of the body of the job '${job}' has been removed.`)
    yield Buffer.from(String(readStoredValues(bodyChunkModel, item).bytes), 'base64')
  }
}

export async function removeBody(transaction: StoreTransaction, job: string): Promise<void> {
  const condition: Condition = { kind: 'oneOf', path: toFieldPath('job'), values: [job] }
  for (const id of await chunkIds(transaction, condition))
    await transaction.remove(bodyChunkModel, id)
}

/** The jobs of chunks that were kept before a time. */
export async function jobsOfOldBodies(
  reader: StoreReader,
  beforeMs: number,
): Promise<ReadonlySet<string>> {
  const path = toFieldPath('keptAtMs')
  const ids = await chunkIds(reader, {
    kind: 'compare',
    path,
    operator: 'lessThan',
    value: beforeMs,
  })
  return new Set(ids.map((id) => id.slice(0, id.lastIndexOf(':'))))
}

async function chunkIds(reader: StoreReader, condition: Condition): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const batch of reader.list(bodyChunkModel, { ...allItemsPlan, condition }))
    for (const { id } of batch) ids.push(id)
  return ids
}

function chunkId(job: string, number: number): string {
  return `${job}:${number}`
}
