import { expect, test, vi } from 'vitest'
import { lruCache } from '../cache/lru-cache.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { OutgoingItem } from '../serializer/outgoing-item.ts'
import type { Serializer } from '../serializer/serializer.ts'
import type { DocumentServices } from './document-services.ts'
import { rawLineWriter } from './raw-line-writer.ts'

const [genre, kind] = ['genre', 'kind'].map((name) => ({ name }) as ModelDescription)
const line = (id: string, end: string) => `{"id":"${id}"${end}}9`
const versioned = (id: string, letter: string) => line(id, `,"hash":"${letter.repeat(43)}"`)

function watched() {
  const writeItem = vi.fn((_: ModelDescription, item: OutgoingItem) =>
    item.kind === 'stored' ? `<${item.item.id} ${item.item.hash?.[0] ?? '-'}>` : '',
  )
  const services: Pick<DocumentServices, 'serializedItems' | 'urlPrefix'> = {
    serializedItems: lruCache(10),
    urlPrefix: () => '/api',
  }
  const serializer = { sendsRawJson: false, separator: ',', writeItem } as Partial<Serializer>
  const writer = rawLineWriter(services as DocumentServices, serializer as Serializer)
  const writeOf = (model: ModelDescription, ...lines: string[]) =>
    Buffer.from(writer.write(model, Buffer.from(lines.join('\n')))).toString()
  const write = (...lines: string[]) => writeOf(genre!, ...lines)
  return { write, writeOf, writeItem }
}

test('an item of a version is serialized once, wherever it stands', () => {
  const { write, writeItem } = watched()
  expect(write(versioned('a', 'x'), versioned('b', 'y'))).toBe('<a x>,<b y>')
  expect(write(versioned('b', 'y'), versioned('a', 'x'))).toBe('<b y>,<a x>')
  expect(writeItem).toHaveBeenCalledTimes(2)
  expect(write(versioned('a', 'z'), versioned('b', 'y'))).toBe('<a z>,<b y>')
  expect(writeItem).toHaveBeenCalledTimes(3)
})

test('items of two models are two items, even with the same id, content and version', () => {
  const { writeOf, writeItem } = watched()
  for (const model of [genre!, kind!, genre!]) writeOf(model, versioned('a', 'x'))
  expect(writeItem.mock.calls.map(([{ name }]) => name)).toEqual(['genre', 'kind'])
})

test('an item without a version is serialized each time', () => {
  const { write, writeItem } = watched()
  for (const _ of [1, 2]) expect(write(line('a', ''))).toBe('<a ->')
  expect(writeItem).toHaveBeenCalledTimes(2)
})

test('a page without items is empty', () => {
  expect(watched().write()).toBe('')
})
