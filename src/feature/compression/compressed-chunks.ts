import type { Chunk } from '../../http/chunk.ts'
import type { ContentCoding } from '../../http/headers/accept-encoding.ts'
import { freeBytes } from '../../http/owned-bytes.ts'
import { Compressor } from './compressor.ts'
import { type FirstChunks, nextChunk, withinPause } from './first-chunks.ts'

/** Each takes about 1 MiB of memory. */
const maxOpenCompressors = 64

let openCompressors = 0

/** Are so many responses compressed at once that a further one is sent as it is? */
export function areCompressorsBusy(): boolean {
  return openCompressors >= maxOpenCompressors
}

/** Compresses a body that is known already. */
export async function compressedBuffers(
  chunks: readonly Chunk[],
  coding: ContentCoding,
): Promise<readonly Uint8Array[]> {
  const compressor = new Compressor(coding)
  openCompressors++
  try {
    for (const chunk of chunks) {
      await compressor.write(chunk)
      if (typeof chunk !== 'string') freeBytes(chunk)
    }
    await compressor.end()
    return compressor.takeOutput()
  } finally {
    openCompressors--
    compressor.close()
  }
}

/**
 * Compresses a stream while it is read. What was written is flushed where the source pauses, so
 * that compression holds back nothing.
 */
export function compressedChunks(
  source: AsyncIterator<Chunk>,
  first: FirstChunks,
  coding: ContentCoding,
): AsyncIterable<Uint8Array> {
  const compressor = new Compressor(coding)
  openCompressors++
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    openCompressors--
    compressor.close()
    await source.return?.()
  }
  const output = compress(source, first, compressor)
  // A generator that has not started would not run its `finally`.
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      try {
        const step = await output.next()
        if (step.done) await close()
        return step
      } catch (error) {
        if (!isOpen) return { done: true, value: undefined }
        await close()
        throw error
      }
    },
    async return() {
      await close()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

async function* compress(
  source: AsyncIterator<Chunk>,
  first: FirstChunks,
  compressor: Compressor,
): AsyncGenerator<Uint8Array> {
  for (const chunk of first.chunks) yield* written(compressor, chunk)
  let next = first.next
  while (next) {
    if ((await withinPause(next)) === undefined && compressor.isOpen) {
      await compressor.flush()
      yield* compressor.takeOutput()
    }
    const step = await next
    if (step.done) break
    yield* written(compressor, step.value)
    next = nextChunk(source)
  }
  await compressor.end()
  yield* compressor.takeOutput()
}

async function* written(compressor: Compressor, chunk: Chunk): AsyncGenerator<Uint8Array> {
  await compressor.write(chunk)
  if (typeof chunk !== 'string') freeBytes(chunk)
  yield* compressor.takeOutput()
}
