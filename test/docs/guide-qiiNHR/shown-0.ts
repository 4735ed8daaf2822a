import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, it } from 'vitest'
import { z } from 'zod'

const Book = model('book', { title: z.string().min(1), price: z.number().nonnegative() })

function bookshop() {
  const router = createRouter({ policy: rest(), basePath: '/api', store: memory() })
  router.prepare(Book)
  return router
}

function clientOf(router: ReturnType<typeof bookshop>) {
  return async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
    const response = await router.handle(new Request(`http://localhost${path}`, init))
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

it('refuses a negative price', async () => {
  const send = clientOf(bookshop())
  const { status, body } = await send('POST', '/api/books', { book: { title: 'Dracula', price: -1 } })
  expect(status).toBe(422)
  expect(body.errors[0].source).toEqual({ pointer: '/book/price' })
})

it('lists what was loaded', async () => {
  const router = bookshop()
  await router.load(Book, [{ id: 'dracula', title: 'Dracula', price: 9 }])
  const { body } = await clientOf(router)('GET', '/api/books')
  expect(body.books).toEqual([{ id: 'dracula', title: 'Dracula', price: 9 }])
})
