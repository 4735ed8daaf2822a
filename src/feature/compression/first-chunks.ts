import { setTimeout as wait } from 'node:timers/promises'
import { byteLengthOf, type Chunk } from '../../http/chunk.ts'

/** The beginning of a stream. */
export interface FirstChunks {
  readonly chunks: readonly Chunk[]
  /** What comes after them, once the source has it; undefined if they are the whole stream. */
  readonly next: Promise<IteratorResult<Chunk>> | undefined
}

/** A source that takes longer for its next chunk has paused, in milliseconds. */
const pauseMs = 5

/**
 * Reads a stream until it has so many bytes, ends or pauses. It never rejects: an error is that of
 * `next`.
 */
export async function readFirstChunks(
  source: AsyncIterator<Chunk>,
  minBytes: number,
): Promise<FirstChunks> {
  const chunks: Chunk[] = []
  let bytes = 0
  for (;;) {
    const next = nextChunk(source)
    const step = await withinPause(next)
    if (step === undefined) return { chunks, next }
    if (step.done) return { chunks, next: undefined }
    chunks.push(step.value)
    bytes += byteLengthOf(step.value)
    if (bytes >= minBytes) return { chunks, next: nextChunk(source) }
  }
}

/** Its rejection is handled when it is awaited, which may be later. */
export function nextChunk(source: AsyncIterator<Chunk>): Promise<IteratorResult<Chunk>> {
  const next = source.next()
  next.catch(() => undefined)
  return next
}

/** Undefined if the source pauses, or fails. */
export async function withinPause<T>(next: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController()
  const timeout = wait(pauseMs, undefined, { signal: timer.signal }).catch(() => undefined)
  try {
    return await Promise.race([next.catch(() => undefined), timeout])
  } finally {
    timer.abort()
  }
}
