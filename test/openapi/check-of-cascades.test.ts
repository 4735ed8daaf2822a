import { createRouter, hash, model, toOne } from 'resourcery'
import { check } from 'resourcery/check'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

it('a check finds nothing wrong with items that are deleted with those that it deletes', async () => {
  const router = createRouter({ policy: rest(), basePath: '/api', store: memory() })
  const Area = model('area', { name: z.string().max(9), hash: hash() })
  const Book = model('book', {
    title: z.string().max(9),
    area: toOne('area', { onDelete: 'cascade' }),
  })
  const Note = model('note', { text: z.string().max(9), book: toOne('book') })
  router.prepare(Area)
  router.prepare(Book)
  router.prepare(Note)
  const numbers = Array.from({ length: 20 }, (_, index) => String(index + 10))
  await router.load(
    Area,
    numbers.map((id) => ({ id: `a-${id}`, name: id })),
  )
  // The first books stand in areas that the check may delete.
  const books = numbers.map((id, index) => ({
    id: `b-${id}`,
    title: id,
    area: `a-${numbers[(index + 10) % 20]}`,
  }))
  await router.load(Book, books)
  const server = await serve([router], { port: 0 })
  onTestFinished(() => server.close())
  const document = router.toOpenApi({ info: { title: 'Areas', version: '1' } })
  const report = await check(document, new URL(`${server.address}/api`), { runs: 20, seed: 7 })
  expect(report.findings).toEqual([])
}, 120_000)
