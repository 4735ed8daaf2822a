import { expect, describe as group, it } from 'vitest'
import { z } from 'zod'
import { field } from '../model/declare/field.ts'
import { model } from '../model/declare/model.ts'
import { file, image } from '../model/declare/resource.ts'
import { list, struct } from '../model/declare/struct.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import { StoredResource } from '../model/stored-resource.ts'
import { createStoredItem, hasSameContent, readStoredValues } from './create-stored-item.ts'
import { insertBaseAddress, insertBaseAddressInBytes } from './insert-base-address.ts'
import { blobKeysOf, resourcesIn } from './item-resources.ts'

const [book] = describeModels([
  model('book', {
    title: z.string(),
    cover: image({ wire: 'front' }),
    draft: file({ hidden: true }),
    editions: field(list(struct({ format: z.string(), scan: image() })), { wire: 'prints' }),
    jacket: struct({ designer: z.string().optional(), scan: image() }, { optional: true }),
  }),
]) as [ReturnType<typeof describeModels>[number]]

const metadata = { contentType: 'image/png', size: 3, hash: 'ab'.repeat(32), fileName: 'a.png' }
const stored = (key: string) => new StoredResource(metadata, key)
const cover = stored('k-1')
const scan = stored('k-2')
const draft = stored('k-3')
const inJacket = stored('k-4')
const values = {
  id: 'b/1',
  title: 'a\tb\u0001 "href":\t',
  cover,
  draft,
  editions: [
    { format: 'paper', scan: null },
    { format: 'cloth', scan },
  ],
  jacket: { scan: inJacket },
}

group('an item with binary resources', () => {
  const item = createStoredItem(book, values, 1)

  it('is stored as JSON, with addresses below the base address, and blob keys in the hidden text', () => {
    expect(JSON.parse(item.text)).toEqual({
      id: 'b/1',
      title: values.title,
      front: { href: '/books/b%2F1/front', ...metadata },
      prints: [
        { format: 'paper', scan: null },
        { format: 'cloth', scan: { href: '/books/b%2F1/prints/1/scan', ...metadata } },
      ],
      jacket: { scan: { href: '/books/b%2F1/jacket/scan', ...metadata } },
    })
    expect(item.text).not.toMatch(/k-\d/)
    expect(blobKeysOf(item)).toEqual({
      front: 'k-1',
      draft: 'k-3',
      'prints/1/scan': 'k-2',
      'jacket/scan': 'k-4',
    })
  })

  it('is read as it was written, blob keys included', () => {
    const read = readStoredValues(book, item)
    expect(read).toEqual(values)
    expect(createStoredItem(book, read, 2).hiddenText).toBe(item.hiddenText)
    expect(hasSameContent(createStoredItem(book, read, 2), item)).toBe(true)
    expect(
      [...resourcesIn(book, read)].map(([path, resource]) => [
        path,
        StoredResource.blobKeyOf(resource),
      ]),
    ).toEqual([
      ['front', 'k-1'],
      ['draft', 'k-3'],
      ['prints/1/scan', 'k-2'],
      ['jacket/scan', 'k-4'],
    ])
  })

  it('gets the base address before it is sent, as text and as bytes, and nothing else changes', () => {
    const text = insertBaseAddress(item.text, 'https://books.example/api')
    expect(JSON.parse(text)).toEqual({
      ...JSON.parse(item.text),
      front: { ...metadata, href: 'https://books.example/api/books/b%2F1/front' },
      prints: [
        { format: 'paper', scan: null },
        {
          format: 'cloth',
          scan: { ...metadata, href: 'https://books.example/api/books/b%2F1/prints/1/scan' },
        },
      ],
      jacket: { scan: { ...metadata, href: 'https://books.example/api/books/b%2F1/jacket/scan' } },
    })
    expect(text).not.toContain('\t')
    const bytes = new TextEncoder().encode(`\u00e9${item.text},${item.text}`).subarray(2)
    expect(
      Buffer.from(insertBaseAddressInBytes(bytes, 'https://books.example/api')).toString(),
    ).toBe(`${text},${text}`)
    expect(insertBaseAddressInBytes(Buffer.from('{}'), '/api')).toEqual(Buffer.from('{}'))
  })

  it('has null in file fields without a resource', () => {
    const empty = createStoredItem(book, { id: 'b-2', title: 'x', editions: [] }, 1)
    expect(JSON.parse(empty.text)).toEqual({ id: 'b-2', title: 'x', prints: [], front: null })
    expect(empty.hiddenText).toBe('{"draft":null}')
    expect(readStoredValues(book, empty)).toEqual({
      id: 'b-2',
      title: 'x',
      editions: [],
      cover: null,
      draft: null,
    })
  })

  it('refuses a copy of a resource, and a resource in two fields', () => {
    expect(() => createStoredItem(book, { ...values, cover: { ...cover } }, 1)).toThrow(
      "'front' must be null or the resource object",
    )
    expect(() => createStoredItem(book, { ...values, jacket: { scan: cover } }, 1)).toThrow(
      "'front' and 'jacket/scan' hold the same resource object",
    )
  })

  it('is read after its model has changed', () => {
    const [changed] = describeModels([
      model('book', { title: z.string(), front: z.string().optional(), back: image() }),
    ])
    expect(readStoredValues(changed!, item)).toMatchObject({ title: values.title, back: null })
    const broken = { ...item, hidden: '{"/":{"gone/0/scan":"k","title":"k","front/x/y":"k"}}' }
    expect(readStoredValues(changed!, broken)).toMatchObject({ title: values.title })
  })
})
