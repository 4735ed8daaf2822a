/**
 * Called while bytes are sent or received.
 * @param loaded the bytes so far
 * @param total all bytes; undefined where nobody knows yet
 */
export type Progress = (loaded: number, total: number | undefined) => void

/** The same bytes, counted as they pass. */
export function countedStream(
  stream: ReadableStream<Uint8Array>,
  total: number | undefined,
  onProgress: Progress,
): ReadableStream<Uint8Array> {
  let loaded = 0
  return stream.pipeThrough(
    new TransformStream({
      transform: (chunk: Uint8Array, controller) => {
        loaded += chunk.length
        onProgress(loaded, total)
        controller.enqueue(chunk)
      },
    }),
  )
}
