import {
  ApiError,
  createRouter,
  field,
  hash,
  image,
  type Middleware,
  model,
  type Router,
  refuse,
  stateKey,
  toMany,
  toOne,
} from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { FailedItem } from 'resourcery/types'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { mediaSamples } from '../support/media.ts'
import { stores } from '../support/stores.ts'

class Author extends model('author', {
  name: z.string().min(1),
  books: toMany<Book>('book', { inverse: 'author' }),
}) {
  get initials(): string {
    return this.name.replaceAll(/[a-z ]/g, '')
  }
}

class Book extends model('book', {
  title: z.string().min(1),
  price: z.number().nonnegative().default(5),
  stock: field(z.int().nonnegative().default(0), { readOnly: true }),
  cost: field(z.number().optional(), { hidden: true }),
  subtitle: z.string().optional(),
  isbn: field(z.string().optional(), { unique: true }),
  author: toOne<Author>('author', { onDelete: 'restrict' }),
  cover: image(),
  hash: hash(),
}) {
  get label(): string {
    return `${this.title} (${this.price})`
  }
}

const caller = stateKey<string>('caller')

const signedIn: Middleware = {
  request: {
    any: ({ request, state }) => {
      const name = request.headers.authorization
      if (name !== undefined) state.set(caller, name)
    },
    create: ({ state }) => {
      if (!state.get(caller)) refuse('unauthorized', 'Sign in first.')
    },
  },
}

const codesOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw error ?? new Error('Nothing was refused.')
  return error.problems.map(({ code, source }) => [
    code,
    source && 'pointer' in source ? source.pointer : undefined,
  ])
}

describe.each(stores)('Items in code, on $name', ({ make }) => {
  let router: Router
  let api: Client
  const books = () => router.items(Book)
  const authors = () => router.items(Author)

  beforeEach(async () => {
    router = createRouter({ policy: rest(), store: await make(), blobs: memoryBlobs() })
    router.use(signedIn)
    router.prepare(Author).itemOperation('greet', ({ item }) => {
      item.name = `Dear ${item.name}`
    })
    router.prepare(Book).itemOperation(
      'restock',
      ({ item, input }) => {
        item.stock += input.amount
      },
      { input: z.object({ amount: z.int() }) },
    )
    api = client(router)
    await router.items(Author).create({ id: 'austen', name: 'Jane Austen' })
  })

  it('are created with the defaults of their schemas, as requests find them', async () => {
    const emma = await books().create({ title: 'Emma', author: 'austen', stock: 3, cost: 2 })
    expect(emma).toBeInstanceOf(Book)
    expect(emma).toMatchObject({ price: 5, stock: 3, cost: 2, author: 'austen', cover: null })
    expect(emma.label).toBe('Emma (5)')
    expect((await api.get(`/books/${emma.id}`)).body).toEqual({
      book: {
        id: emma.id,
        title: 'Emma',
        price: 5,
        stock: 3,
        author: 'austen',
        cover: null,
        hash: emma.hash,
      },
    })
  })

  it('are read by id, by query and one by one', async () => {
    for (const [index, title] of ['Emma', 'Persuasion', 'Sanditon'].entries())
      await books().create({ id: title, title, price: index, author: 'austen' })
    expect(await books().get('nothing')).toBeUndefined()
    expect((await books().get('Emma'))?.title).toBe('Emma')
    const dear = await books().all((query) =>
      query.where('price').greaterThan(0).sort('title', 'desc'),
    )
    expect(dear.map(({ id }) => id)).toEqual(['Sanditon', 'Persuasion'])
    const first = await books().first((query) => query.sort('price', 'desc'))
    expect(first?.id).toBe('Sanditon')
    expect(await books().first((query) => query.none())).toBeUndefined()
    expect(await books().count((query) => query.where('author.name').startsWith('Jane'))).toBe(3)
    const seen: string[] = []
    for await (const { id } of books().find((query) => query.limit(2))) seen.push(id)
    expect(seen).toEqual(['Emma', 'Persuasion'])
  })

  it('have related items of their own class where they are included, and ids elsewhere', async () => {
    await books().create({ id: 'emma', title: 'Emma', author: 'austen' })
    const emma = await books().get('emma', { include: ['author'] })
    expect(emma?.author).toBeInstanceOf(Author)
    expect(emma?.author.initials).toBe('JA')
    expect((await books().get('emma'))?.author).toBe('austen')
    const [first] = await books().all((query) => query, { include: ['author'] })
    expect(first?.author.name).toBe('Jane Austen')
    await expect(books().get('emma', { include: ['publisher' as 'author'] })).rejects.toThrow(
      "stores no relation 'publisher'",
    )
  })

  it('are changed, replaced and deleted, by version where one is given', async () => {
    const { hash: first } = await books().create({ id: 'emma', title: 'Emma', author: 'austen' })
    const changed = await books().update('emma', { subtitle: 'A novel', price: 6 }, { if: first })
    expect(changed).toMatchObject({ title: 'Emma', subtitle: 'A novel', price: 6 })
    expect(await codesOf(books().update('emma', { price: 7 }, { if: first }))).toEqual([
      ['precondition-failed', undefined],
    ])
    expect((await books().update('emma', { subtitle: null })).subtitle).toBeUndefined()
    const replaced = await books().replace('emma', { title: 'Emma!', author: 'austen' })
    expect(replaced).toMatchObject({ title: 'Emma!', price: 5, stock: 0 })
    expect(await codesOf(books().delete('emma', { if: first }))).toEqual([
      ['precondition-failed', undefined],
    ])
    await books().delete('emma', { if: replaced.hash })
    expect(await books().get('emma')).toBeUndefined()
    expect(await codesOf(books().delete('emma'))).toEqual([['not-found', undefined]])
  })

  it('are checked as those of requests, with pointers in the names of the model', async () => {
    expect(await codesOf(books().create({ title: '', price: -1, author: 'nobody' }))).toEqual([
      ['invalid-member', '/title'],
      ['invalid-member', '/price'],
      ['related-not-found', '/author'],
    ])
    const unknown = { title: 'Emma', author: 'austen', titel: 'x' }
    expect(await codesOf(books().create(unknown))).toEqual([['unknown-member', '/titel']])
    await books().create({ id: 'emma', title: 'Emma', isbn: '1', author: 'austen' })
    expect(await codesOf(books().create({ id: 'emma', title: 'x', author: 'austen' }))).toEqual([
      ['already-exists', '/id'],
    ])
    expect(await codesOf(books().create({ title: 'x', isbn: '1', author: 'austen' }))).toEqual([
      ['value-taken', '/isbn'],
    ])
    expect(await codesOf(authors().delete('austen'))).toEqual([['still-referenced', undefined]])
    expect(await codesOf(books().update('nothing', { price: 1 }))).toEqual([
      ['not-found', undefined],
    ])
  })

  it('are created or replaced with upsert', async () => {
    await authors().upsert({ id: 'eliot', name: 'George Eliot' })
    await authors().upsert({ id: 'eliot', name: 'Mary Ann Evans' })
    expect((await authors().get('eliot'))?.name).toBe('Mary Ann Evans')
    expect(await authors().count()).toBe(2)
  })

  it('are created, changed and deleted together, or not at all', async () => {
    const titles = ['Emma', 'Persuasion', 'Sanditon']
    await books().createMany(titles.map((title) => ({ id: title, title, author: 'austen' })))
    const last = { id: 'Emma', title: 'Emma', author: 'austen' }
    expect(
      await codesOf(books().createMany([{ id: 'new', title: 'New', author: 'austen' }, last])),
    ).toEqual([['already-exists', '/id']])
    expect(await books().get('new')).toBeUndefined()
    const inEmma = books().updateWhere((query) => query.where('title').equal('Emma'), { price: 9 })
    expect(await inEmma).toBe(1)
    expect(await books().count((query) => query.where('price').equal(9))).toBe(1)
    expect(await codesOf(books().updateWhere((query) => query, { isbn: 'one' }))).toEqual([
      ['value-taken', '/isbn'],
    ])
    expect(await books().count((query) => query.where('isbn').isNull())).toBe(3)
    expect(await books().deleteWhere((query) => query.where('price').equal(5))).toBe(2)
    expect(await books().count()).toBe(1)
  })

  it('are named by errors of operations on several items', async () => {
    const named = ({ model, id, index }: FailedItem) => ({ model, id, index })
    const failedItem = async (work: Promise<unknown>) => {
      const error: unknown = await work.catch((reason: unknown) => reason)
      if (!(error instanceof ApiError)) return error
      return [...error.failedItems.map(named), error.message]
    }
    await books().createMany(
      ['a', 'b'].map((id) => ({ id, title: id, author: 'austen', isbn: `isbn-${id}` })),
    )
    const isbn = { isbn: 'isbn-a' }
    expect(
      await failedItem(books().updateWhere((query) => query.where('id').equal('b'), isbn)),
    ).toEqual([{ model: 'book', id: 'b' }, expect.stringMatching(/^book 'b': value-taken: /)])
    expect(
      await failedItem(
        books().createMany([
          { title: 'c', author: 'austen' },
          { title: 'd', author: 'austen', ...isbn },
        ]),
      ),
    ).toEqual([
      { model: 'book', index: 1 },
      expect.stringMatching(/^book at index 1: value-taken: /),
    ])
    expect(await failedItem(authors().deleteWhere((query) => query))).toEqual([
      { model: 'author', id: 'austen' },
      expect.stringMatching(/^author 'austen': still-referenced: /),
    ])
    expect(await failedItem(books().create({ title: 'd', author: 'austen', ...isbn }))).toEqual([
      expect.stringMatching(/^value-taken: /),
    ])
  })

  it('are refused with the index of the earlier one that has the same unique values', async () => {
    await books().create({ id: 'stored', title: 'Stored', author: 'austen', isbn: 'isbn-0' })
    const failed = await books().validate([
      { id: 'one', title: 'One', author: 'austen', isbn: 'isbn-1' },
      { title: '', author: 'austen', isbn: 'isbn-2' },
      { title: 'Two', author: 'austen', isbn: 'isbn-1' },
      { title: 'Three', author: 'austen', isbn: 'isbn-0' },
      { title: 'Four', author: 'austen', isbn: 'isbn-2' },
      { title: 'Five', author: 'austen', isbn: 'isbn-2' },
      { id: 'one', title: 'Six', author: 'austen' },
    ])
    expect(
      failed.map(({ index, problems }) => [
        index,
        / It is the one at index \d+\.$/.exec(problems[0]!.detail)?.[0],
      ]),
    ).toEqual([
      [1, undefined],
      [2, ' It is the one at index 0.'],
      [3, undefined],
      [5, ' It is the one at index 4.'],
      [6, ' It is the one at index 0.'],
    ])
  })

  it('are refused by load() with the id of the one that has the same unique values', async () => {
    const router = createRouter({ policy: rest(), store: memory() })
    const Coin = model('coin', { code: field(z.string(), { unique: true }) })
    router.prepare(Coin)
    await router.load(Coin, [{ id: 'stored', code: 'a' }])
    await expect(
      router.load(Coin, [
        { id: 'one', code: 'b' },
        { id: 'two', code: 'b' },
      ]),
    ).rejects.toThrow(
      "The coin 'two' cannot be loaded: the coin 'one', which is loaded with it, has the same 'code' 'b'.",
    )
    await expect(router.load(Coin, [{ id: 'three', code: 'a' }])).rejects.toThrow(
      "another coin has the same 'code' 'a'",
    )
  })

  it('are all named where several are invalid, with their problems, and none is stored', async () => {
    const first = { id: 'first', title: 'First', author: 'austen', isbn: 'isbn' }
    function* values() {
      yield first
      yield { title: '', author: 'austen', price: -1 }
      yield { title: 'Good', author: 'austen' }
      yield { title: 'Taken', author: 'austen', isbn: 'isbn' }
      yield { id: 'first', title: 'Twice', author: 'nobody' }
    }
    const expected = [
      [1, ['invalid-member', 'invalid-member']],
      [3, ['value-taken']],
      [4, ['already-exists']],
    ]
    const listed = (failed: readonly FailedItem[]) =>
      failed.map(({ index, problems }) => [index, problems.map(({ code }) => code)])
    const error: unknown = await books()
      .createMany(values())
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ApiError)
    const { failedItems, problems, message } = error as ApiError
    expect(listed(failedItems)).toEqual(expected)
    expect(problems).toEqual(failedItems[0]?.problems)
    expect(message).toMatch(/^book at index 1 \(and 2 more\): invalid-member: /)
    expect(listed(await books().validate(values()))).toEqual(expected)
    expect(await books().validate([first])).toEqual([])
    expect(await books().count()).toBe(0)
    await expect(router.transaction((items) => items(Book).validate([first]))).rejects.toThrow(
      'createMany() names all items that are invalid',
    )
    expect(await books().createMany([first])).toHaveLength(1)
    const renamed = books().updateWhere((query) => query, { title: '' })
    expect((await renamed.catch((reason: ApiError) => reason)).toString()).toContain(
      "book 'first': invalid-member",
    )
  })

  it('are rows of a file before anybody has checked them', async () => {
    const rows: readonly unknown[] = JSON.parse(
      '[null, "text", 5, ["title"], {}, { "title": 5, "author": "austen" }, { "titel": "A" }]',
    )
    const failed = await books().validate(rows)
    expect(failed.map(({ index }) => index)).toEqual(rows.map((_, index) => index))
    for (const { problems } of failed.slice(0, 4))
      expect(problems[0]).toMatchObject({
        code: 'invalid-member',
        detail: 'Expected an object with the members of a book.',
      })
    expect(failed[6]?.problems[0]).toMatchObject({ code: 'unknown-member' })
  })

  it('have their actions called, with their input validated', async () => {
    await books().create({ id: 'emma', title: 'Emma', author: 'austen' })
    expect(await books().callOperation('emma', 'restock', { amount: 2 })).toMatchObject({
      stock: 2,
    })
    expect(await codesOf(books().callOperation('emma', 'restock', { amount: 'x' }))).toEqual([
      ['invalid-input', '/amount'],
    ])
    await expect(books().callOperation('emma', 'restok', {})).rejects.toThrow("no action 'restok'")
    expect(await authors().callOperation('austen', 'greet')).toMatchObject({
      name: 'Dear Jane Austen',
    })
  })

  it('have binary resources, which are set, read and cleared', async () => {
    await books().create({ id: 'emma', title: 'Emma', author: 'austen' })
    const { 'image/png': png } = await mediaSamples()
    const bytes = png!
    const set = await books().setResource('emma', 'cover', {
      bytes,
      contentType: 'image/png',
      fileName: 'ü.png',
    })
    expect(set).toMatchObject({ contentType: 'image/png', size: bytes.length, fileName: 'ü.png' })
    const read = await books().readResource('emma', 'cover')
    const chunks: Uint8Array[] = []
    for await (const chunk of read!.bytes) chunks.push(chunk)
    expect(Buffer.concat(chunks)).toEqual(Buffer.from(bytes))
    expect((await books().get('emma'))?.cover?.size).toBe(bytes.length)
    await books().deleteResource('emma', 'cover')
    expect(await books().readResource('emma', 'cover')).toBeUndefined()
  })

  it('write inverse relations of their own side', async () => {
    await authors().create({ id: 'eliot', name: 'George Eliot' })
    await books().create({ id: 'emma', title: 'Emma', author: 'austen' })
    await router.items(Author).update('eliot', { books: ['emma'] } as never)
    expect((await books().get('emma'))?.author).toBe('eliot')
  })

  it('are written in one transaction, whatever their model', async () => {
    await router.transaction(async (items) => {
      await items(Author).create({ id: 'eliot', name: 'George Eliot' })
      const romola = await items(Book).create({ id: 'romola', title: 'Romola', author: 'eliot' })
      expect((await items(Book).get(romola.id))?.author).toBe('eliot')
    })
    const failed = router.transaction(async (items) => {
      await items(Book).delete('romola')
      await items(Author).delete('eliot')
      throw new Error('No more.')
    })
    await expect(failed).rejects.toThrow('No more.')
    expect((await api.get('/books/romola')).status).toBe(200)
  })

  it('join the transaction in whose function they are used', async () => {
    const failed = router.transaction(async () => {
      await router.items(Author).create({ id: 'eliot', name: 'George Eliot' })
      await router.transaction(async (items) => {
        expect((await items(Author).get('eliot'))?.name).toBe('George Eliot')
        await items(Author).update('eliot', { name: 'Mary Ann Evans' })
      })
      await books().createMany([{ id: 'romola', title: 'Romola', author: 'eliot' }])
      expect((await authors().get('eliot'))?.name).toBe('Mary Ann Evans')
      throw new Error('No.')
    })
    await expect(failed).rejects.toThrow('No.')
    expect([await authors().count(), await books().count()]).toEqual([1, 0])
  })

  it('act in the name of a request where they are asked to', async () => {
    const acting = createRouter({ policy: rest(), store: await make(), blobs: memoryBlobs() })
    const seen: unknown[] = []
    acting.use(signedIn)
    acting.prepare(Author).use({
      request: {
        getList: async (context) => {
          const asCaller = acting.items(Book, { as: context })
          seen.push(await asCaller.count(), (await asCaller.get('other'))?.id)
          for (const member of [{}, { stock: 3 }, { cost: 3 }]) {
            const created = asCaller.create({ title: 'ada', author: 'austen', ...member })
            seen.push(await codesOf(created.then(() => refuse('conflict', 'It was created.'))))
          }
        },
      },
    })
    acting.prepare(Book).use({
      query: { any: (query, { state }) => query.where('title').equal(state.get(caller) ?? null) },
    })
    await acting.items(Author).create({ id: 'austen', name: 'Jane Austen' })
    for (const title of ['ada', 'other'])
      await acting.items(Book).create({ id: title, title, author: 'austen' })
    await client(acting).get('/authors', { authorization: 'ada' })
    expect(seen).toEqual([
      1,
      undefined,
      [['conflict', undefined]],
      [['forbidden', '/stock']],
      [['unknown-member', '/cost']],
    ])
    seen.length = 0
    await client(acting).get('/authors')
    expect(seen.slice(2)).toEqual(Array(3).fill([['unauthorized', undefined]]))
  })
})
