import type { ListFrame } from '../serializer/serializer.ts'
import { isLate, opened } from './first-batch.ts'
import type { Writing } from './write-document.ts'

/** A list whose items go out as they are stored, batch by batch, while they are read. */
export async function textChunks(
  { parts, context }: Omit<Writing, 'facts'>,
  frame: ListFrame,
  batches: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<string | Uint8Array>> {
  const reading = batches[Symbol.asyncIterator]()
  const first = reading.next()
  const isSlow = await isLate(first)
  return opened(chunks(), reading)

  async function* chunks(): AsyncGenerator<string | Uint8Array> {
    let head = frame.open
    try {
      if (isSlow) {
        yield head
        head = ''
      }
      for (let batch = await first; !batch.done; batch = await reading.next()) {
        yield Buffer.concat([Buffer.from(head), batch.value])
        head = ','
      }
      yield (head === frame.open ? head : '') + frame.afterItems + frame.close
    } catch (error) {
      parts.report(error, context)
      throw error
    } finally {
      await reading.return?.()
    }
  }
}
