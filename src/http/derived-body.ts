import type { ResponseBody } from './api-response.ts'

type Chunks = Extract<ResponseBody, { kind: 'stream' }>['chunks']

const sources = new WeakMap<ResponseBody, ResponseBody>()

/** Does a body send another one, so that this must not be closed? */
export function isDerivedFrom(body: ResponseBody, source: ResponseBody): boolean {
  for (let one: ResponseBody | undefined = body; one; one = sources.get(one))
    if (one === source) return true
  return false
}

/**
 * The body, with a function that is called once a stream is sent, has failed or is closed. For a
 * body that is no stream, it is called at once.
 */
export function withEnd(body: ResponseBody, onEnd: () => void): ResponseBody {
  if (body.kind !== 'stream') {
    onEnd()
    return body
  }
  const derived: ResponseBody = { ...body, chunks: endingChunks(body.chunks, onEnd) }
  sources.set(derived, body)
  return derived
}

/** No generator: one that was not read yet would not run its end. */
function endingChunks(chunks: Chunks, onEnd: () => void): Chunks {
  let iterator: AsyncIterator<string | Uint8Array> | undefined
  const open = () => {
    iterator ??= chunks[Symbol.asyncIterator]()
    return iterator
  }
  const ending: AsyncIterableIterator<string | Uint8Array> = {
    async next() {
      try {
        const result = await open().next()
        if (result.done) onEnd()
        return result
      } catch (error) {
        onEnd()
        throw error
      }
    },
    async return() {
      try {
        await open().return?.()
      } finally {
        onEnd()
      }
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => ending,
  }
  return ending
}
