import { ClientError, createClient, OutdatedItemError } from 'resourcery/client'
import type { Server } from 'resourcery/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as plain from './generated/bookstore.ts'
import * as jsonApi from './generated/bookstore-json-api.ts'
import { startBookstore } from './services.ts'

let server: Server
beforeAll(async () => {
  server = await startBookstore()
}, 60_000)
afterAll(() => server.close())

/** What the client has sent, beside what it returns. */
const sent: { method: string; path: string; headers: Headers }[] = []

function clientOf(policy: 'rest' | 'json-api') {
  const recording: typeof fetch = (input, init) => {
    const { method, url, headers } = new Request(input, { ...init, body: null })
    sent.push({ method, path: decodeURIComponent(url.slice(server.address.length)), headers })
    return fetch(input, init)
  }
  return policy === 'rest'
    ? createClient(plain.manifest, { url: `${server.address}/api`, fetch: recording })
    : // Both have the same surface; what only one of them has is tried below.
      createClient(jsonApi.manifest as unknown as typeof plain.manifest, {
        url: `${server.address}/json-api/`,
        fetch: recording,
      })
}

describe.each(['rest', 'json-api'] as const)('A client of the bookstore under %s', (policy) => {
  test('lists items by filter, sort and page, and counts all of them', async () => {
    const api = clientOf(policy)
    const { items, total, nextPage, previousPage } = await api.books.list({
      filter: { 'author.name': { startsWith: 'Jane' }, price: { lt: 9 } },
      sort: ['-title'],
      page: { size: 1 },
      count: true,
    })
    expect(items.map(({ title }) => title)).toEqual(['Persuasion'])
    expect([total, previousPage]).toEqual([2, undefined])
    const next = await api.books.list({
      filter: { 'author.name': { startsWith: 'Jane' }, price: { lt: 9 } },
      sort: ['-title'],
      page: nextPage!,
    })
    expect(next.items.map(({ title }) => title)).toEqual(['Northanger Abbey'])
    expect(next.nextPage).toBeUndefined()
  })

  test('combines conditions, also on null and on what lists hold', async () => {
    const api = clientOf(policy)
    const titles = async (filter: plain.Api['books']['filter'] & Record<string, unknown>) =>
      (await api.books.list({ filter, fields: { books: ['title'] } })).items.map(({ id }) => id)
    expect(
      await titles({
        OR: [
          { title: 'Persuasion' },
          { AND: [{ price: { lt: 6 } }, { genres: { any: ['horror'] } }] },
        ],
      }),
    ).toEqual(['persuasion', 'the-yellow-wall-paper'])
    const without = await titles({ isbn: null, author: 'mary-shelley' })
    const others = await titles({ NOT: { isbn: null }, author: { in: ['mary-shelley'] } })
    expect([...without, ...others].sort()).toEqual(['frankenstein', 'the-last-man'])
    expect(await titles({ title: "O'Brien's" })).toEqual([])
  })

  test('puts included items in the place of their ids, each path as far as it goes', async () => {
    const api = clientOf(policy)
    const { items } = await api.books.list({
      filter: { id: 'frankenstein' },
      include: ['author.books', 'genres', 'publisher'],
    })
    const [book] = items
    expect(book!.author.name).toBe('Mary Shelley')
    expect(book!.author.books.map(({ id, author }) => [id, author])).toEqual([
      ['frankenstein', 'mary-shelley'],
      ['the-last-man', 'mary-shelley'],
    ])
    expect(book!.genres.map(({ name }) => name)).toContain('Horror')
    expect(book!.publisher).toMatchObject({ id: expect.any(String), name: expect.any(String) })
  })

  test('has null for a related item that there is not, and an empty list for none', async () => {
    const api = clientOf(policy)
    const genre = await api.genres.create({ id: `lone-${policy}`, name: 'Lone' })
    expect(genre.parent).toBeNull()
    const included = await api.genres.get(genre.id, { include: ['parent', 'children'] })
    expect(included).toMatchObject({ parent: null, children: [] })
  })

  test('selects fields, and includes by relations that are not among them', async () => {
    const api = clientOf(policy)
    const book = await api.books.get('dracula', {
      fields: { books: ['title'], authors: ['name'] },
      include: ['author'],
    })
    expect(book).toMatchObject({ id: 'dracula', title: 'Dracula' })
    expect(book.author).toMatchObject({ id: 'bram-stoker', name: 'Bram Stoker' })
    expect(book).not.toHaveProperty('price')
    expect(book.author).not.toHaveProperty('born')
    const author = await api.authors.get('mary-shelley', {
      fields: { authors: ['name'], books: ['title'] },
      include: ['books'],
    })
    expect(author.books.map(({ title }) => title)).toHaveLength(2)
    expect(author).not.toHaveProperty('born')
  })

  test('streams a list of several pages, and each item once', async () => {
    const api = clientOf(policy)
    const ids: string[] = []
    sent.length = 0
    for await (const book of api.books.stream({ fields: { books: ['title'] }, page: { size: 50 } }))
      ids.push(book.id)
    const { total } = await api.books.list({ page: { size: 1 }, count: true })
    expect(new Set(ids).size).toBe(total)
    expect(ids).toHaveLength(total!)
    expect(sent.length).toBeGreaterThan(4)
  })

  test('writes an item only if it has not changed, and gives the current one', async () => {
    const api = clientOf(policy)
    const book = await api.books.create({ title: 'Mathilda', price: 7, author: 'mary-shelley' })
    sent.length = 0
    const copy = { ...book, title: 'A copy' }
    const changed = await api.books.update(copy, { price: 8 })
    expect(changed.price).toBe(8)
    expect(sent[0]!.headers.get('if-match')).toMatch(/^"/)
    const error: unknown = await api.books.update(book, { price: 9 }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(OutdatedItemError)
    expect(api.authors.isOutdated(error)).toBe(false)
    if (!api.books.isOutdated(error)) throw error
    expect([error.status, error.current!.price]).toEqual([412, 8])
    expect(error.has('precondition-failed')).toBe(true)
    const again = await api.books.replace(error.current!, {
      title: 'Mathilda',
      price: 10,
      author: 'mary-shelley',
    })
    await expect(api.books.delete(book)).rejects.toThrow(OutdatedItemError)
    await api.books.delete(again)
    await expect(api.books.get(book.id)).rejects.toMatchObject({ status: 404 })
  })

  test('items of lists have versions as well, and ids are written in any case', async () => {
    const api = clientOf(policy)
    const { items } = await api.authors.list({
      filter: { id: 'bram-stoker' },
      fields: { authors: ['name'] },
      include: ['books'],
    })
    await api.authors.update('bram-stoker', { bio: `Irish, says ${policy}.` })
    await expect(api.authors.update(items[0]!, { bio: 'Lost' })).rejects.toThrow(OutdatedItemError)
    const [book] = items[0]!.books
    await api.books.update(book!.id, { stock: book!.stock + 1 })
    await expect(api.books.update(book!, { stock: 4 })).rejects.toThrow(OutdatedItemError)
  })

  test('an item without a version is written without If-Match', async () => {
    const api = clientOf(policy)
    const genre = await api.genres.create({ id: `weak-${policy}`, name: 'Weak' })
    sent.length = 0
    await api.genres.update(genre, { name: 'Weaker' })
    expect(sent[0]!.headers.get('if-match')).toBeNull()
    await api.genres.delete(genre)
  })

  test('says with every problem which value of the call it is about', async () => {
    const api = clientOf(policy)
    const error: unknown = await api.books
      .create({ title: '', price: -1, author: 'nobody', genres: ['horror', 'none'] })
      .catch((thrown) => thrown)
    if (!(error instanceof ClientError)) throw error
    expect(error.problems.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/title', '/price', '/author']),
    )
    expect(error.has('invalid-member')).toBe(true)
    expect(error.message).toContain("Invalid value for 'title'")
    const wrong: unknown = await api.books.actions
      .discount('dracula', { percent: 200 })
      .catch((thrown) => thrown)
    expect(wrong).toMatchObject({ status: 422, problems: [{ pointer: '/percent' }] })
    const parameter = await api.books
      .list({ sort: 'titel' as 'title' })
      .catch((thrown: ClientError) => thrown.problems[0]!.parameter)
    expect(parameter).toBe('sort')
  })

  test('calls actions, and returns the item or the output', async () => {
    const api = clientOf(policy)
    const book = await api.books.create({ title: 'The Mummy!', price: 10, author: 'mary-shelley' })
    const cheaper = await api.books.actions.discount(book, { percent: 50 }, { include: ['author'] })
    expect([cheaper.price, cheaper.author.name]).toEqual([5, 'Mary Shelley'])
    expect(await api.books.actions.restock(cheaper, { amount: 4 })).toEqual({ stock: 4 })
    await expect(api.books.actions.restock(cheaper, { amount: 4 })).rejects.toThrow(
      OutdatedItemError,
    )
    await api.books.delete(book.id)
  })

  test('uploads, downloads and removes files, and says how far it is', async () => {
    const api = clientOf(policy)
    const picture = await api.books.download('frankenstein', 'cover')
    expect(picture.type).toBe('image/png')
    const loaded: number[] = []
    const author = await api.authors.upload('ann-radcliffe', 'portrait', picture, {
      fileName: "Ann's portrait (1).png",
      onProgress: (bytes, total) => loaded.push(bytes, total!),
    })
    expect(author.portrait).toMatchObject({
      size: picture.size,
      contentType: 'image/png',
      fileName: "Ann's portrait (1).png",
    })
    expect(loaded.slice(-2)).toEqual([picture.size, picture.size])
    const received: number[] = []
    const copy = await api.authors.download('ann-radcliffe', 'portrait', {
      onProgress: (bytes) => received.push(bytes),
    })
    expect(await copy.bytes()).toEqual(await picture.bytes())
    expect(received.at(-1)).toBe(picture.size)
    await api.authors.deleteFile('ann-radcliffe', 'portrait')
    expect((await api.authors.get('ann-radcliffe')).portrait).toBeNull()
  })

  test('searches, adds up, counts values and groups', async () => {
    const api = clientOf(policy)
    const { items, aggregates, facets, highlights } = await api.books.list({
      search: 'sense sensibility',
      sort: '-relevance',
      page: { size: 5 },
      aggregates: ['count', 'sum(price)'],
      facets: ['inStock'],
      highlights: true,
    })
    expect(items.map(({ id }) => id)).toEqual(['sense-and-sensibility'])
    expect(aggregates).toEqual({ count: 1, 'sum(price)': items[0]!.price })
    expect(facets.inStock).toEqual([{ value: items[0]!.inStock, count: 1 }])
    expect(highlights![0]!.fields[0]!.pieces.some(({ isMatch }) => isMatch)).toBe(true)
    const { groups, total } = await api.books.groups({
      by: ['author'],
      aggregates: ['count'],
      filter: { author: { in: ['mary-shelley', 'jane-austen'] } },
      filterGroups: { count: { gte: 6 } },
      page: { size: 5 },
      count: true,
    })
    expect(groups).toEqual([{ by: { author: 'jane-austen' }, aggregates: { count: 6 } }])
    expect(total).toBe(1)
  })

  test('sends a query that is too long for an address as a body', async () => {
    const api = clientOf(policy)
    const ids = Array.from({ length: 400 }, (_, index) => `no-such-book-of-${index}`)
    sent.length = 0
    const { items } = await api.books.list({ filter: { id: { in: ['dracula', ...ids] } } })
    expect(items.map(({ id }) => id)).toEqual(['dracula'])
    expect(sent[0]!.method).toBe('QUERY')
  })

  test('ends a call whose signal is aborted', async () => {
    const api = clientOf(policy)
    const signal = AbortSignal.abort(new Error('Left'))
    await expect(api.books.list({ signal })).rejects.toThrow('Left')
    await expect(api.books.update('dracula', { stock: 1 }, { signal })).rejects.toThrow('Left')
  })
})

describe('Under JSON:API, a client', () => {
  const client = () => createClient(jsonApi.manifest, { url: `${server.address}/json-api` })

  test('adds to relations, removes from them, replaces and reads them', async () => {
    const api = client()
    const { id } = await api.books.create({ title: 'Valperga', price: 9, author: 'mary-shelley' })
    const { genres, author, publisher } = api.books.relations
    await genres.add(id, ['horror', 'essays'])
    await genres.remove(id, ['essays'])
    const { items } = await genres.list(id, { fields: { genres: ['name'] } })
    expect(items.map(({ name }) => name)).toEqual(['Horror'])
    await genres.set(id, ['satire'])
    expect((await api.books.get(id)).genres).toEqual(['satire'])
    expect((await author.get(id))!.name).toBe('Mary Shelley')
    expect(await publisher.get(id)).toBeNull()
    await publisher.set(id, 'chapman-and-hall')
    expect((await api.books.get(id)).publisher).toBe('chapman-and-hall')
    await api.books.delete(id)
  })

  test('has the ids of inverse relations where they are included', async () => {
    const api = client()
    const author = await api.authors.get('mary-shelley', { include: ['books.genres'] })
    expect(author.books[0]!.genres[0]).toMatchObject({
      id: expect.any(String),
      name: expect.any(String),
    })
  })
})
