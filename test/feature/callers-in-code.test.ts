import {
  ApiError,
  type Context,
  createRouter,
  model,
  type Router,
  refuse,
  toMany,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
}) {}

class Book extends model('book', {
  title: z.string(),
  author: toOne<Author>('author', { optional: true }),
}) {}

describe.each(stores)(
  'Items in the name of a caller who changes other items, on $name',
  ({ make }) => {
    let router: Router
    let context: Context
    let guarded: (string | undefined)[]
    let refusesUpdates: boolean

    beforeEach(async () => {
      guarded = []
      refusesUpdates = false
      router = createRouter({ policy: rest(), store: await make() })
      router.prepare(Author).use({
        request: {
          getList: (current) => {
            context = current
          },
        },
      })
      router.prepare(Book).use({
        request: {
          update: async ({ id }) => {
            await Promise.resolve()
            guarded.push(id)
            if (refusesUpdates) refuse('forbidden', 'You cannot change books.')
          },
        },
      })
      await router.items(Book).create({ id: 'emma', title: 'Emma' })
      await client(router).get('/authors')
    })

    const createAuthor = { name: 'Jane Austen', books: ['emma'] }
    const noBooks: object = { books: [] }
    const authorOfEmma = async () => (await router.items(Book).get('emma'))?.author

    it('runs the hooks of update of the items that an inverse relation changes', async () => {
      const author = await router.items(Author, { as: context }).create(createAuthor)
      expect(guarded).toEqual(['emma'])
      expect(await authorOfEmma()).toBe(author.id)
      await router.items(Author, { as: context }).update(author.id, noBooks)
      expect(guarded).toEqual(['emma', 'emma'])
      expect(await authorOfEmma()).toBeNull()
    })

    it('writes nothing that these hooks refuse', async () => {
      refusesUpdates = true
      await expect(router.items(Author, { as: context }).create(createAuthor)).rejects.toThrow(
        ApiError,
      )
      expect(await authorOfEmma()).toBeNull()
      expect(await router.items(Author).count()).toBe(0)
    })

    it('runs them in a transaction, once for each change, and creates one item', async () => {
      const author = await router.transaction((items) => items(Author).create(createAuthor), {
        as: context,
      })
      expect(guarded).toEqual(['emma'])
      expect(await authorOfEmma()).toBe(author.id)
      expect(await router.items(Author).count()).toBe(1)
      refusesUpdates = true
      await expect(
        router.transaction((items) => items(Author).create(createAuthor), {
          as: context,
        }),
      ).rejects.toThrow('You cannot change books.')
      expect(await router.items(Author).count()).toBe(1)
    })

    it('runs none for the service', async () => {
      refusesUpdates = true
      await router.items(Author).create(createAuthor)
      expect(guarded).toEqual([])
    })
  },
)
