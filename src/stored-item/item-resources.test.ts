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

const facts = { contentType: 'image/png', size: 3, hash: 'ab'.repeat(32), fileName: 'a.png' }
const stored = (key: string) => new StoredResource(facts, key)
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

  it('is stored as JSON, with each address below the mount path and the keys of blobs apart', () => {
    const told = { contentType: 'image/png', size: 3, hash: facts.hash, fileName: 'a.png' }
    expect(JSON.parse(item.text)).toEqual({
      id: 'b/1',
      title: values.title,
      front: { href: '/books/b%2F1/front', ...told },
      prints: [
        { format: 'paper', scan: null },
        { format: 'cloth', scan: { href: '/books/b%2F1/prints/1/scan', ...told } },
      ],
      jacket: { scan: { href: '/books/b%2F1/jacket/scan', ...told } },
    })
    expect(item.text).not.toMatch(/k-\d/)
    expect(blobKeysOf(item)).toEqual({
      front: 'k-1',
      draft: 'k-3',
      'prints/1/scan': 'k-2',
      'jacket/scan': 'k-4',
    })
  })

  it('reads as it was written, keys included', () => {
    const read = readStoredValues(book, item)
    expect(read).toEqual(values)
    expect(createStoredItem(book, read, 2).hiddenText).toBe(item.hiddenText)
    expect(hasSameContent(createStoredItem(book, read, 2), item)).toBe(true)
    expect(
      [...resourcesIn(book, read)].map(([place, one]) => [place, StoredResource.blobKeyOf(one)]),
    ).toEqual([
      ['front', 'k-1'],
      ['draft', 'k-3'],
      ['prints/1/scan', 'k-2'],
      ['jacket/scan', 'k-4'],
    ])
  })

  it('gets addresses before it is sent, as text and as bytes, and nothing else changes', () => {
    const sent = insertBaseAddress(item.text, 'https://books.example/api')
    expect(JSON.parse(sent)).toEqual({
      ...JSON.parse(item.text),
      front: { ...facts, href: 'https://books.example/api/books/b%2F1/front' },
      prints: [
        { format: 'paper', scan: null },
        {
          format: 'cloth',
          scan: { ...facts, href: 'https://books.example/api/books/b%2F1/prints/1/scan' },
        },
      ],
      jacket: { scan: { ...facts, href: 'https://books.example/api/books/b%2F1/jacket/scan' } },
    })
    expect(sent).not.toContain('\t')
    const bytes = new TextEncoder().encode(`\u00e9${item.text},${item.text}`).subarray(2)
    expect(
      Buffer.from(insertBaseAddressInBytes(bytes, 'https://books.example/api')).toString(),
    ).toBe(`${sent},${sent}`)
    expect(insertBaseAddressInBytes(Buffer.from('{}'), '/api')).toEqual(Buffer.from('{}'))
  })

  it('has null where it has no resource', () => {
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

  it('takes no copy of a resource, and no resource twice', () => {
    expect(() => createStoredItem(book, { ...values, cover: { ...cover } }, 1)).toThrow(
      "'front' is no resource",
    )
    expect(() => createStoredItem(book, { ...values, jacket: { scan: cover } }, 1)).toThrow(
      "'front' holds the resource of 'jacket/scan'",
    )
  })

  it('reads on where its model has changed since', () => {
    const [changed] = describeModels([
      model('book', { title: z.string(), front: z.string().optional(), back: image() }),
    ])
    expect(readStoredValues(changed!, item)).toMatchObject({ title: values.title, back: null })
    const broken = { ...item, hidden: '{"/":{"gone/0/scan":"k","title":"k","front/x/y":"k"}}' }
    expect(readStoredValues(changed!, broken)).toMatchObject({ title: values.title })
  })
})
