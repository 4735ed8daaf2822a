import { createRouter, model, type Router, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stores } from '../support/stores.ts'

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
}) {}
class Book extends model('book', {
  price: z.int(),
  author: toOne<Author>('author', { optional: true }),
}) {}

// JavaScript has no types that refuse these.
const wrong = (value?: unknown) => value as never

describe.each(stores)('Wrong arguments of items in code, on $name', ({ make }) => {
  let router: Router
  const books = () => router.items(Book)

  beforeEach(async () => {
    router = createRouter({ policy: rest(), store: await make() })
    for (const each of [Author, Book]) router.prepare(each)
    await router.items(Author).create({ id: 'austen', name: 'Jane Austen' })
    await books().createMany([
      { id: 'emma', price: 5, author: 'austen' },
      { id: 'persuasion', price: 7 },
    ])
  })

  it('leave all items alone where a query is missing, or is no function', async () => {
    const expected = (call: string) =>
      `${call} expects a query function, such as (q) => q.where('price').lessThan(5).`
    for (const query of [undefined, null, { price: 1 }, 'emma']) {
      const deleting = books().deleteWhere(wrong(query))
      await expect(deleting).rejects.toThrow(new TypeError(expected('deleteWhere()')))
      const updating = books().updateWhere(wrong(query), { price: 1 })
      await expect(updating).rejects.toThrow(new TypeError(expected('updateWhere()')))
    }
    const swapped = books().updateWhere(
      wrong({ price: 1 }),
      wrong(() => undefined),
    )
    await expect(swapped).rejects.toThrow(expected('updateWhere()'))
    const inTransaction = router.transaction((items) => items(Book).deleteWhere(wrong()))
    await expect(inTransaction).rejects.toThrow(expected('deleteWhere()'))
    expect((await books().all()).map(({ price }) => price)).toEqual([5, 7])
  })

  it('are refused where a read gets something else than a query function', async () => {
    const query = wrong({ price: 5 })
    const found = async () => {
      for await (const item of books().find(query)) throw new Error(`Found ${item.id}.`)
    }
    const calls: readonly [string, () => Promise<unknown>][] = [
      ['all()', () => books().all(query)],
      ['first()', () => books().first(query)],
      ['find()', found],
      ['count()', () => books().count(query)],
      ["The option 'where' of groups()", () => books().groups({ by: ['author'], where: query })],
    ]
    for (const [call, run] of calls)
      await expect(run()).rejects.toThrow(`${call} expects a query function, such as `)
    expect(await books().all(undefined)).toHaveLength(2)
    expect(await books().first(undefined)).toMatchObject({ id: 'emma' })
    expect(await books().count(undefined)).toBe(2)
  })

  it('are refused where one item stands for several', async () => {
    for (const values of [{ id: 'x', price: 1 }, undefined, 'x']) {
      await expect(books().createMany(wrong(values))).rejects.toThrow(
        'createMany() expects an array or another iterable of items.',
      )
      await expect(books().validate(wrong(values))).rejects.toThrow(
        'validate() expects an array or another iterable of items.',
      )
    }
    expect(await books().createMany(new Set([{ id: 'x', price: 1 }]))).toHaveLength(1)
  })

  it('are refused where an option is unknown: a write would do without its precondition', async () => {
    const options = wrong({ iff: 'stale' })
    const expected = (call: string) => `Unknown option 'iff' of ${call}. Did you mean 'if'?`
    const { update, replace, delete: remove, call } = books()
    const calls: readonly [string, Promise<unknown>][] = [
      ['update()', update('emma', { price: 1 }, options)],
      ['replace()', replace('emma', { price: 1 }, options)],
      ['delete()', remove('emma', options)],
      ['call()', call('emma', wrong('reprice'), wrong({}), options)],
    ]
    for (const [name, refused] of calls) await expect(refused).rejects.toThrow(expected(name))
    expect(await books().get('emma')).toMatchObject({ price: 5, author: 'austen' })

    const names = wrong({ includes: ['author'] })
    const suggested = (name: string) =>
      `Unknown option 'includes' of ${name}. Did you mean 'include'?`
    await expect(books().get('emma', names)).rejects.toThrow(suggested('get()'))
    await expect(books().all(undefined, names)).rejects.toThrow(suggested('all()'))
    await expect(books().first(undefined, names)).rejects.toThrow(suggested('first()'))
    const iterator = books().find(undefined, names)[Symbol.asyncIterator]()
    await expect(iterator.next()).rejects.toThrow(suggested('find()'))
    await expect(books().all(undefined, wrong({ include: 'author' }))).rejects.toThrow(
      "The option 'include' of all() must be an array of names.",
    )
  })

  it('do not let code act as the service where the context of a caller is missing', async () => {
    for (const context of [undefined, null, {}, 'emma']) {
      const options = wrong({ as: context })
      expect(() => router.items(Book, options)).toThrow(
        "The option 'as' of items() must be the context of a request. Omit it where the service acts.",
      )
      await expect(router.transaction(async () => 1, options)).rejects.toThrow(
        "The option 'as' of transaction() must be the context of a request.",
      )
    }
    expect(() => router.items(Book, wrong({ ass: {} }))).toThrow(
      "Unknown option 'ass' of items(). Did you mean 'as'?",
    )
    await expect(router.transaction(async () => 1, wrong({ foo: 1 }))).rejects.toThrow(
      "Unknown option 'foo' of transaction(); expected 'as'.",
    )
  })
})
