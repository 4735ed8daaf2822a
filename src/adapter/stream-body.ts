import type { ApiResponse, ResponseBody } from '../http/api-response.ts'
import { closeBody } from '../http/close-body.ts'
import type { ErrorReporter } from './error-reporter.ts'

/** The body of a response that is pulled piece by piece. */
export type StreamBody = Extract<ResponseBody, { kind: 'stream' }>
export type Chunk = string | Uint8Array

/** Lets go of what a stream holds, once nobody reads it any more. */
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

/** Closes the stream of a response that is not sent, or whose body is not. */
export function closeUnsentBody({ body }: ApiResponse, report: ErrorReporter): void {
  if (body.kind === 'stream') closeBody(body).catch(report)
}

/**
 * Holds a stream to the length it declared, where it did: too little would leave the client
 * waiting, too much would be read as the next answer.
 */
export function lengthChecker(length: number | undefined): (next: IteratorResult<Chunk>) => void {
  if (length === undefined) return () => {}
  let size = 0
  return (next) => {
    if (!next.done)
      size += typeof next.value === 'string' ? Buffer.byteLength(next.value) : next.value.byteLength
    if (next.done ? size < length : size > length)
      throw new Error(
        `A stream declared ${length} bytes and gave ${next.done ? 'only' : 'at least'} ${size}.`,
      )
  }
}
