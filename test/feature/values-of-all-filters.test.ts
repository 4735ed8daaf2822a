import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Book = model('book', { title: z.string() })
const form = { 'content-type': 'application/x-www-form-urlencoded' }

it('has at most so many values in all filters of a request together', async () => {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    limits: { maxTotalFilterValues: 900 },
  })
  router.prepare(Book)
  await router.load(Book, [{ id: 'b449', title: 'B' }])
  const api = client(router)
  const idsTo = (count: number) => Array.from({ length: count }, (_, index) => `'b${index}'`).join()
  const send = (count: number) =>
    api.send('QUERY', '/books', `filter=or(in(id,${idsTo(450)}),in(id,${idsTo(count)}))`, form)
  expect((await send(450)).ids('books')).toEqual(['b449'])
  const refused = await send(451)
  expect(refused.status).toBe(400)
  expect(refused.errors).toMatchObject([
    { code: 'limit-exceeded', source: { parameter: 'filter' } },
  ])
  expect(refused.errors[0]!.detail).toContain('at most 900 values together')
})

it('follows changes with a filter that is no longer than an address', async () => {
  const router = createRouter({ policy: rest(), store: memory(), changes: true })
  router.prepare(Book)
  const api = client(router)
  const send = (length: number) =>
    api.send('QUERY', '/books/changes', `filter[title]=${'x'.repeat(length)}`, form)
  expect((await send(20_000)).status).toBe(200)
  const refused = await send(40_000)
  expect([refused.status, refused.errors[0]?.code]).toEqual([400, 'limit-exceeded'])
  await router.close()
})
