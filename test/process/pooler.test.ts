import { createRouter, hash, model } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { describePgBouncer } from '../support/postgres/describe-postgres.ts'
import { type PgBouncer, startPgBouncer } from '../support/postgres/pg-bouncer.ts'
import type { TestDatabase } from '../support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../support/postgres/shared-server.ts'

const Book = model('book', { title: z.string(), pages: z.int(), hash: hash() })
const Product = model('product', {
  unitPrice: z.number(),
  name: z.string(),
  isSold: z.boolean(),
  hash: hash(),
})

describePgBouncer('Services with default options behind PgBouncer in transaction mode', () => {
  let bouncer: PgBouncer
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
    bouncer = await startPgBouncer(await sharedServer(), 3)
  }, 120_000)
  afterAll(async () => {
    await bouncer?.stop()
    await database?.drop()
  })

  it('get their own answers under load, and one warning', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const errors: unknown[] = []
    const open = async (each: typeof Book | typeof Product) => {
      const store = postgres(bouncer.url(database.name))
      const router = createRouter({ policy: rest(), store, onError: (error) => errors.push(error) })
      router.prepare(each)
      await router.open()
      return { store, api: client(router) }
    }
    const books = await open(Book)
    const products = await open(Product)
    const useBooks = async (api: Client, number: number) => {
      const id = `b${number}`
      const book = { id, title: `Title ${number}`, pages: number }
      expect((await api.post('/books', { book })).status).toBe(201)
      const patched = await api.patch(`/books/${id}`, { book: { pages: number + 1 } })
      expect(patched.at('/book')).toMatchObject({ id, title: `Title ${number}`, pages: number + 1 })
      expect((await api.get(`/books/${id}`)).at('/book')).toMatchObject({ pages: number + 1 })
      const filters = [
        `title=Title%20${number}`,
        `pages=${number + 1}`,
        `title[contains]=${number}`,
      ]
      const filter = filters[number % 3]!.replace(/^(\w+)/, 'filter[$1]')
      expect((await api.get(`/books?${filter}`)).ids('books')).toContain(id)
    }
    const useProducts = async (api: Client, number: number) => {
      const id = `p${number}`
      const product = { id, unitPrice: number / 4, name: `Name ${number}`, isSold: true }
      expect((await api.post('/products', { product })).status).toBe(201)
      expect((await api.get(`/products/${id}`)).at('/product')).toMatchObject(product)
      const sorts = ['name', '-unitPrice', 'isSold,name']
      const list = await api.get(
        `/products?sort=${sorts[number % 3]}&filter[name]=Name%20${number}`,
      )
      expect(list.ids('products')).toEqual([id])
      if (number % 4 === 0) expect((await api.delete(`/products/${id}`)).status).toBe(204)
    }
    await Promise.all(
      Array.from({ length: 16 }, async (_, worker) => {
        for (let number = worker; number < 320; number += 16)
          await (number % 2 ? useBooks(books.api, number) : useProducts(products.api, number))
      }),
    )
    expect(errors).toEqual([])
    const codes = warning.mock.calls.map(([, options]) => (options as { code?: string })?.code)
    expect(codes).toEqual(['RESOURCERY_POOLER'])
    // Settings that the pooler does not keep for each client are left as they are.
    const [row] = await (await sharedServer()).run('show intervalstyle', [], database.name)
    expect(row).toEqual({ IntervalStyle: 'postgres' })
    await books.store.close()
    await products.store.close()
    warning.mockRestore()
  }, 120_000)
})
