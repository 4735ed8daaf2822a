import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Book = model(
  'book',
  { title: z.string() },
  { trash: true, upsert: true, aggregate: ['title'] },
)

it.each(['capabilities', 'changes', 'groups', 'trash'])(
  'No item gets the id %s, whose address is that of something else of the model',
  async (id) => {
    const router = createRouter({
      policy: rest(),
      store: memory(),
      changes: true,
      capabilities: 'models',
    })
    router.prepare(Book)
    const api = client(router)
    const expected = `The id '${id}' is reserved. Choose another.`
    const { status, errors } = await api.post('/books', { book: { id, title: 'T' } })
    expect([status, errors[0]?.detail]).toEqual([422, expected])
    const values = { id, title: 'T' }
    await expect(router.items(Book).create(values)).rejects.toThrow(expected)
    await expect(router.items(Book).upsert(values)).rejects.toThrow(expected)
    await expect(router.load(Book, [values])).rejects.toThrow(
      `The book '${id}' cannot be loaded: ${expected}`,
    )
  },
)

it('An id is not reserved where the model has no such address', async () => {
  const router = createRouter({ policy: rest(), store: memory() })
  const Plain = model('book', { title: z.string() })
  router.prepare(Plain)
  for (const id of ['capabilities', 'changes', 'groups', 'trash'])
    expect((await client(router).post('/books', { book: { id, title: 'T' } })).status).toBe(201)
})
