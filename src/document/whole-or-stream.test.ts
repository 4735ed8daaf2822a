import { hash as digest } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { registerStream } from '../concurrency/stream-budget.ts'
import type { Context } from '../context/context.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { DocumentServices } from './document-services.ts'
import { representationTag } from './item-tags.ts'
import { type DocumentBody, wholeOrStream } from './whole-or-stream.ts'

const documentContext = { services: {} as DocumentServices, context: {} as Context }
const endStreams: (() => void)[] = []

afterEach(() => {
  for (const end of endStreams.splice(0)) end()
})

async function* pieces(count: number, piece = 'é'.repeat(5_000)) {
  for (let index = 0; index < count; index++) yield piece + index
}

const writeDocument = (count: number) => wholeOrStream(documentContext, pieces(count))

async function textOf(document: DocumentBody): Promise<string> {
  if (document.kind === 'text') return document.text
  if (document.kind === 'buffers') return Buffer.concat(document.buffers).toString()
  let text = ''
  for await (const chunk of document.chunks)
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
  return text
}

async function expected(count: number): Promise<string> {
  let text = ''
  for await (const piece of pieces(count)) text += piece
  return text
}

test.each([
  [1, 'text'],
  [100, 'buffers'],
  [400, 'stream'],
])('a document of %i pieces keeps its text, as %s', async (count, kind) => {
  const document = await writeDocument(count)
  expect(document.kind).toBe(kind)
  expect(await textOf(document)).toBe(await expected(count))
})

test('a document is streamed sooner while many responses are in progress, and whole again afterwards', async () => {
  for (let index = 0; index < 100; index++) endStreams.push(registerStream())
  const document = await writeDocument(100)
  expect(document.kind).toBe('stream')
  expect(await textOf(document)).toBe(await expected(100))
  for (const end of endStreams.splice(0)) end()
  expect((await writeDocument(100)).kind).toBe('buffers')
})

test('the tag of a document does not depend on how many buffers it has', async () => {
  const text = await expected(100)
  for (const hash of ['h', null]) {
    const item = { hash } as StoredItem
    const document = await writeDocument(100)
    if (document.kind === 'stream') throw new Error('Expected a whole document.')
    const tag = representationTag(item, document)
    expect(tag).toBe(representationTag(item, { kind: 'text', text }))
    if (hash) expect(tag).toBe(`"h.${digest('sha256', text, 'base64url').slice(0, 16)}"`)
  }
})

test('a stream that is closed before a chunk was asked for stops reading', async () => {
  let hasStopped = false
  async function* endless() {
    try {
      for (;;) yield 'x'.repeat(10_000)
    } finally {
      hasStopped = true
    }
  }
  const document = await wholeOrStream(documentContext, endless())
  if (document.kind !== 'stream') throw new Error('Expected a stream.')
  await document.chunks[Symbol.asyncIterator]().return?.()
  expect(hasStopped).toBe(true)
})
