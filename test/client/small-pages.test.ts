import { createRouter, model } from 'resourcery'
import { createClient, type Manifest } from 'resourcery/client'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { writeClient } from '../../src/tools/client/write-client.ts'

it('A client reads whole lists where pages are small, and is safe from odd ids and names', async () => {
  const Book = model('book', { title: z.string() }, { ids: 'client' })
  const router = createRouter({
    policy: rest(),
    store: memory(),
    changes: true,
    limits: { maxPageSize: 2 },
  })
  router.prepare(Book)
  const books = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, title: id }))
  await router.load(Book, books)
  const text = writeClient(router.toOpenApi({ info: { title: 'T', version: '1' } }))
  expect(text).toContain('maxPageSize: 2')
  const manifest = {
    policy: 'rest',
    models: { books: { name: 'book', maxPageSize: 2 } },
  } as unknown as Manifest<never>
  // biome-ignore lint/suspicious/noExplicitAny: the types of a written client are tested elsewhere
  const api: any = createClient(manifest, {
    url: 'http://localhost',
    fetch: (input, init) => router.handle(new Request(input as string, init)),
  })
  const streamed: string[] = []
  for await (const { id } of api.books.stream()) streamed.push(id)
  expect(streamed).toEqual(['a', 'b', 'c', 'd', 'e'])
  for await (const { items } of api.books.follow()) {
    expect(items).toHaveLength(5)
    break
  }
  await expect(api.books.delete('..')).rejects.toThrow('No id: ..')
  await api.books
    .list({ include: ['__proto__.x', 'author.constructor.prototype.x'] })
    .catch(() => {})
  expect(Object.keys(Object.prototype)).toEqual([])
  expect({}).not.toHaveProperty('x')
  await router.close()
})
