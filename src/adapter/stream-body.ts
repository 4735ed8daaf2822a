import type { ApiResponse, ResponseBody } from '../http/api-response.ts'
import { byteLengthOf, type Chunk } from '../http/chunk.ts'
import { closeBody } from '../http/close-body.ts'
import type { ErrorReporter } from './error-reporter.ts'

/** The body of a streamed response. */
export type StreamBody = Extract<ResponseBody, { kind: 'stream' }>

/** Closes an iterator, and reports errors. */
export async function closeChunks(
  iterator: AsyncIterator<Chunk>,
  report: ErrorReporter,
): Promise<void> {
  try {
    await iterator.return?.()
  } catch (error) {
    report(error)
  }
}

/** Closes the stream of a response whose body is not sent. */
export function closeUnsentBody({ body }: ApiResponse, report: ErrorReporter): void {
  if (body.kind === 'stream') closeBody(body).catch(report)
}

/**
 * Checks that a stream has its declared length. With fewer bytes the client would wait, and it
 * would read further bytes as the next response.
 */
export function lengthChecker(length: number | undefined): (next: IteratorResult<Chunk>) => void {
  if (length === undefined) return () => {}
  let size = 0
  return (next) => {
    if (!next.done) size += byteLengthOf(next.value)
    if (next.done ? size < length : size > length)
      throw new Error(
        `A stream declared ${length} bytes, but has ${next.done ? 'only' : 'at least'} ${size}.`,
      )
  }
}
