import { expect, test, vi } from 'vitest'
import type { Context } from '../context/context.ts'
import type { DocumentServices } from './document-services.ts'
import { startedStream } from './started-stream.ts'

const context = { signal: new AbortController().signal } as Context

function failing(chunkCount: number) {
  const onError = vi.fn()
  const stopReading = vi.fn(async () => {})
  async function* chunks() {
    for (let index = 0; index < chunkCount; index++) yield `${index}`
    throw new Error('the disk is gone')
  }
  const services = { onError } as Partial<DocumentServices> as DocumentServices
  return {
    onError,
    stopReading,
    stream: startedStream({ services, context }, chunks(), stopReading),
  }
}

async function read(stream: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of stream) count++
  return count
}

test('an error after the first chunk is reported once', async () => {
  const { stream, onError, stopReading } = failing(2)
  await expect(read(stream)).rejects.toThrow('the disk is gone')
  expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('the disk is gone'), context)
  expect(stopReading).toHaveBeenCalled()
})

test('an error before the first chunk is left to whoever makes it a response', async () => {
  const { stream, onError, stopReading } = failing(0)
  await expect(read(stream)).rejects.toThrow('the disk is gone')
  expect(onError).not.toHaveBeenCalled()
  expect(stopReading).toHaveBeenCalled()
})

test('a reader that ends early stops the reading', async () => {
  const { stream, onError, stopReading } = failing(2)
  for await (const _ of stream) break
  expect(stopReading).toHaveBeenCalled()
  expect(onError).not.toHaveBeenCalled()
})
