import { expect } from 'vitest'
import {
  always,
  blobKeysOf,
  idEquals,
  readStoredValues,
  type Store,
  type StoredItem,
  StoredResource,
  type StoredValues,
  toFieldPath,
  type WriteOutcome,
} from '../../store/public.ts'
import { idsOf, insert, listed, matching, pageItems, planOf, type Suite } from './harness.ts'
import { author, book, contentOf, genre, itemOf, painting } from './models.ts'

const odd: StoredValues = {
  id: 'b-1',
  title: `"quoted" 'single' \\back\\ \n\t 😀 \uFFFD \u2028 '); DROP TABLE book; --`,
  subtitle: '',
  isbn: '978-0',
  price: 0.1 + 0.2,
  pages: 9007199254740991,
  inStock: false,
  notes: 'hidden 😀 "note"',
  secret: 1e21,
  tags: ['%', '_', '', 'ä', null],
  scores: [1e-7, -0.5, 1e300],
  flags: [],
  dimensions: { width: null, cover: { material: '{"a":1}', labels: ["it's"] } },
  extra: { any: ['thing', 1, null, { deep: true }] },
  author: 'a-1',
  genres: ['g-2', 'g-1'],
}

function put(store: Store, values: StoredValues, revision = 1): Promise<WriteOutcome> {
  return store.write((transaction) => transaction.insert(book, itemOf(book, values, revision)))
}

function change(store: Store, values: StoredValues, revision = 2): Promise<WriteOutcome> {
  return store.write((transaction) => transaction.replace(book, itemOf(book, values, revision)))
}

export function writing(suite: Suite): void {
  suite.alone('gives back each item as it was given', async (store) => {
    const items = [
      itemOf(book, odd, 7),
      itemOf(book, { id: 'b-2' }, 3_000_000_000),
      itemOf(book, {
        ...odd,
        id: 'b-3',
        isbn: undefined,
        notes: undefined,
        secret: undefined,
        flags: undefined,
      }),
    ]
    for (const item of items) {
      const outcome = await store.write((entry) => entry.insert(book, item))
      const stored = await store.find(book, idEquals(item.id))
      expect(outcome).toEqual({ kind: 'written', item: stored })
    }
    const plain = itemOf(author, { id: 'a-1', name: 'Ann' }, 2)
    await store.write((entry) => entry.insert(author, plain))
    const contents = items.map(contentOf)
    expect((await listed(store, book, planOf())).map(contentOf)).toEqual(contents)
    expect(
      (
        await pageItems(store, book, planOf(always, [], { kind: 'offset', offset: 0, limit: 5 }))
      ).map(contentOf),
    ).toEqual(contents)
    for (const item of items)
      expect(contentOf((await store.find(book, idEquals(item.id)))!)).toEqual(contentOf(item))
    expect((await listed(store, author, planOf())).map(contentOf)).toEqual([contentOf(plain)])
    expect(plain.hash).toBeNull()
    expect(readStoredValues(book, (await store.find(book, idEquals('b-1')))!)).toEqual(odd)
  })

  suite.alone('keeps the version and the revision of each item', async (store) => {
    const items = [itemOf(book, odd, 7), itemOf(book, { id: 'b-2' }, 3_000_000_000)]
    for (const item of items) {
      await store.write((entry) => entry.insert(book, item))
      expect(await store.find(book, idEquals(item.id))).toEqual(item)
    }
    expect((await listed(store, book, planOf())).map(membersOf)).toEqual(items)
  })

  suite.alone('keeps null apart from a member that is absent', async (store) => {
    const item = itemOf(book, { id: 'b-1', isbn: null, notes: null, tags: null })
    await store.write((entry) => entry.insert(book, item))
    expect(contentOf((await store.find(book, idEquals('b-1')))!)).toEqual(contentOf(item))
  })

  suite.alone(
    'gives a version to each item, which changes with every change of it',
    async (store) => {
      const versions = new Set<string | null>()
      const texts = ['one', 'two']
      for (const [index, title] of texts.entries()) {
        const values = { id: 'b-1', title }
        if (index === 0) await put(store, values)
        else await change(store, values)
        const item = (await store.find(book, idEquals('b-1')))!
        expect(item.text.endsWith(`,"hash":"${item.hash}"}`)).toBe(true)
        expect(await store.find(book, idEquals('b-1'))).toEqual(item)
        versions.add(item.hash)
      }
      expect(versions.size).toBe(2)
    },
  )

  suite.alone(
    'gives back the keys of blobs, of models too that hide nothing else',
    async (store) => {
      const facts = { contentType: 'image/png', size: 3, hash: 'ab'.repeat(32), fileName: null }
      const values = {
        id: 'p-1',
        photo: new StoredResource(facts, 'key-1'),
        views: [{ scan: new StoredResource(facts, 'key-2') }],
      }
      const item = itemOf(painting, values)
      await store.write((transaction) => transaction.insert(painting, item))
      const page = await pageItems(
        store,
        painting,
        planOf(always, [], { kind: 'offset', offset: 0, limit: 5 }),
      )
      const items = [
        await store.find(painting, idEquals('p-1')),
        ...(await listed(store, painting, planOf())),
        ...page,
        await store.write((transaction) => transaction.find(painting, idEquals('p-1'))),
      ]
      expect(items).toHaveLength(4)
      for (const entry of items) {
        expect(contentOf(entry!)).toEqual(contentOf(item))
        expect(blobKeysOf(entry!)).toEqual({ photo: 'key-1', 'views/0/scan': 'key-2' })
      }
      expect(readStoredValues(painting, item)).toEqual(values)
      await store.write((transaction) =>
        transaction.insert(painting, itemOf(painting, { id: 'p-2', photo: null, views: [] })),
      )
      const keys: string[] = []
      for await (const batch of store.fastPaths?.blobKeys?.(painting) ?? [['key-1', 'key-2']])
        keys.push(...batch)
      expect(keys.sort()).toEqual(['key-1', 'key-2'])
    },
    [painting],
  )

  suite.alone('finds an item only where it satisfies the whole condition', async (store) => {
    await insert(store, author, { id: 'a-1', name: 'Ann', alive: true })
    await insert(store, book, { id: 'b-1', price: 5, author: 'a-1' })
    await insert(store, book, { id: 'b-2', price: 6 })
    const cheap = {
      kind: 'compare',
      path: toFieldPath('price'),
      operator: 'lessThan',
      value: 6,
    } as const
    const living = {
      kind: 'compare',
      path: toFieldPath('author.alive'),
      operator: 'equal',
      value: true,
    } as const
    const find = async (id: string, ...others: (typeof cheap | typeof living)[]) =>
      (await store.find(book, { kind: 'and', conditions: [...others, idEquals(id)] }))?.id
    expect(await find('b-1')).toBe('b-1')
    expect(await find('b-1', cheap, living)).toBe('b-1')
    expect(await find('b-2', cheap)).toBeUndefined()
    expect(await find('b-2', living)).toBeUndefined()
    expect(await find('b-3')).toBeUndefined()
    expect(await store.find(book, { kind: 'never' })).toBeUndefined()
    expect(
      await store.find(book, { kind: 'and', conditions: [idEquals('b-1'), idEquals('b-2')] }),
    ).toBeUndefined()
    expect(
      await store.find(book, {
        kind: 'and',
        conditions: [{ kind: 'not', condition: idEquals('b-1') }, idEquals('b-2')],
      }),
    ).toMatchObject({ id: 'b-2' })
  })

  suite.alone('adds no item under an id that is taken', async (store) => {
    await put(store, { id: 'b-1', title: 'first', isbn: '1' })
    expect(await put(store, { id: 'b-1', title: 'second' })).toEqual({ kind: 'exists' })
    expect(await put(store, { id: 'b-1', title: 'third', isbn: '1' })).toEqual({ kind: 'exists' })
    expect(await put(store, { id: 'B-1', title: 'another' })).toMatchObject({ kind: 'written' })
    expect(contentOf((await store.find(book, idEquals('b-1')))!)).toEqual(
      contentOf(itemOf(book, { id: 'b-1', title: 'first', isbn: '1' })),
    )
    expect(
      await store.write((entry) => entry.insert(genre, itemOf(genre, { id: 'b-1' }))),
    ).toMatchObject({ kind: 'written' })
  })

  suite.alone('keeps unique values apart, and lets null be', async (store) => {
    expect(await put(store, { id: 'b-1', isbn: 'x' })).toMatchObject({ kind: 'written' })
    expect(await put(store, { id: 'b-2', isbn: 'x' })).toEqual({ kind: 'taken', fields: ['isbn'] })
    expect(await put(store, { id: 'b-2', isbn: 'X' })).toMatchObject({ kind: 'written' })
    expect(await put(store, { id: 'b-3', isbn: null })).toMatchObject({ kind: 'written' })
    expect(await put(store, { id: 'b-4', isbn: null })).toMatchObject({ kind: 'written' })
    expect(await put(store, { id: 'b-5' })).toMatchObject({ kind: 'written' })
    expect(await put(store, { id: 'b-6', isbn: '' })).toMatchObject({ kind: 'written' })
    expect(await put(store, { id: 'b-7', isbn: '' })).toEqual({ kind: 'taken', fields: ['isbn'] })
    expect(await idsOf(store, book, planOf())).toEqual(['b-1', 'b-2', 'b-3', 'b-4', 'b-5', 'b-6'])
  })

  suite.alone('writes over an item, unless it takes what another holds', async (store) => {
    await put(store, { id: 'b-1', isbn: 'x', title: 'old', notes: 'n' })
    await put(store, { id: 'b-2', isbn: 'y' })
    expect(await change(store, { id: 'b-1', isbn: 'y', title: 'new' })).toEqual({
      kind: 'taken',
      fields: ['isbn'],
    })
    expect(contentOf((await store.find(book, idEquals('b-1')))!)).toEqual(
      contentOf(itemOf(book, { id: 'b-1', isbn: 'x', title: 'old', notes: 'n' })),
    )
    expect(await change(store, { id: 'b-1', isbn: 'x', title: 'new' })).toMatchObject({
      kind: 'written',
    })
    expect(contentOf((await store.find(book, idEquals('b-1')))!)).toEqual(
      contentOf(itemOf(book, { id: 'b-1', isbn: 'x', title: 'new' }, 2)),
    )
    expect(
      await matching(store, book, {
        kind: 'compare',
        path: toFieldPath('title'),
        operator: 'equal',
        value: 'old',
      }),
    ).toEqual([])
    expect(
      await matching(store, book, {
        kind: 'compare',
        path: toFieldPath('notes'),
        operator: 'equal',
        value: 'n',
      }),
    ).toEqual([])
    expect(await change(store, { id: 'b-1', isbn: 'z' }, 3)).toMatchObject({ kind: 'written' })
    expect(await change(store, { id: 'b-2', isbn: 'x' }, 2)).toMatchObject({ kind: 'written' })
    expect(await put(store, { id: 'b-3', isbn: 'y' })).toMatchObject({ kind: 'written' })
    expect(await put(store, { id: 'b-4', isbn: 'z' })).toEqual({ kind: 'taken', fields: ['isbn'] })
  })

  suite.alone('removes an item and what it held, and minds no missing one', async (store) => {
    await put(store, { id: 'b-1', isbn: 'x', tags: ['t'], genres: ['g-1'] })
    await put(store, { id: 'b-2', genres: ['g-1'] })
    await insert(store, genre, { id: 'g-1' })
    await store.write((entry) => entry.remove(book, 'b-1'))
    await store.write((entry) => entry.remove(book, 'b-1'))
    await store.write((entry) => entry.remove(genre, 'b-2'))
    expect(await store.find(book, idEquals('b-1'))).toBeUndefined()
    const path = toFieldPath('books')
    expect(
      await matching(store, genre, { kind: 'members', path, quantity: 'any', values: ['b-1'] }),
    ).toEqual([])
    expect(
      await matching(store, genre, { kind: 'members', path, quantity: 'any', values: ['b-2'] }),
    ).toEqual(['g-1'])
    expect(await put(store, { id: 'b-1', isbn: 'x' })).toMatchObject({ kind: 'written' })
    const values = {
      kind: 'members',
      path: toFieldPath('tags'),
      quantity: 'any',
      values: ['t'],
    } as const
    expect(await matching(store, book, values)).toEqual([])
  })

  suite.alone('follows the members of arrays and relations as they change', async (store) => {
    await insert(store, author, { id: 'a-1' })
    await put(store, { id: 'b-1', tags: ['old', 'both'], genres: ['g-1', 'g-2'], author: 'a-1' })
    await change(store, { id: 'b-1', tags: ['both', 'new'], genres: ['g-3', 'g-2'] })
    const of = (name: string, value: string) =>
      matching(store, book, {
        kind: 'members',
        path: toFieldPath(name),
        quantity: 'any',
        values: [value],
      })
    expect(await of('tags', 'old')).toEqual([])
    expect(await of('tags', 'both')).toEqual(['b-1'])
    expect(await of('tags', 'new')).toEqual(['b-1'])
    expect(await of('genres', 'g-1')).toEqual([])
    expect(await of('genres', 'g-2')).toEqual(['b-1'])
    const inverse = {
      kind: 'members',
      path: toFieldPath('books'),
      quantity: 'any',
      values: ['b-1'],
    } as const
    expect(await matching(store, author, inverse)).toEqual([])
  })

  suite.alone('lets relations lead to items that are not there', async (store) => {
    expect(await put(store, { id: 'b-1', author: 'a-1', genres: ['g-1'] })).toMatchObject({
      kind: 'written',
    })
    await insert(store, author, { id: 'a-1', name: 'Ann' })
    const ann = {
      kind: 'compare',
      path: toFieldPath('author.name'),
      operator: 'equal',
      value: 'Ann',
    } as const
    expect(await matching(store, book, ann)).toEqual(['b-1'])
    await store.write((entry) => entry.remove(author, 'a-1'))
    expect(await matching(store, book, ann)).toEqual([])
    expect(contentOf((await store.find(book, idEquals('b-1')))!)).toEqual(
      contentOf(itemOf(book, { id: 'b-1', author: 'a-1', genres: ['g-1'] })),
    )
  })

  suite.alone('keeps a long text whole', async (store) => {
    const subtitle = 'ä😀'.repeat(300_000)
    await put(store, { id: 'b-1', subtitle })
    expect(contentOf((await store.find(book, idEquals('b-1')))!)).toEqual(
      contentOf(itemOf(book, { id: 'b-1', subtitle })),
    )
  })
}

/** A store may compute members lazily. */
function membersOf({
  id,
  text,
  relationsOffset,
  hiddenText,
  hash,
  revision,
}: StoredItem): StoredItem {
  return { id, text, relationsOffset, hiddenText, hash, revision }
}
