import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRouter, field, type ModelOptions, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import type { Fields } from 'resourcery/types'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { client } from '../../../../test/support/client.ts'
import { temporaryFolder } from '../../../../test/support/documentation.ts'

it('renames the table and the column of items whose model says what it was', async () => {
  const folder = temporaryFolder('renamed')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const open = (name: string, fields: Fields, options: ModelOptions<string>) => {
    const store = sqlite(join(folder, 'books.db'), { layout: 'tables' })
    const router = createRouter({ policy: rest(), store })
    router.prepare(model(name, fields, options))
    return router
  }
  const before = open('volume', { pages: z.int() }, {})
  await client(before).post('/volumes', { volume: { id: 'dune', pages: 412 } })
  await before.close()
  const after = open('book', { pageCount: field(z.int(), { was: 'pages' }) }, { was: 'volume' })
  onTestFinished(() => after.close())
  expect((await client(after).get('/books/dune')).body).toEqual({
    book: { id: 'dune', pageCount: 412 },
  })
})

it('plans to drop a removed column, and says that it refuses new items until then', async () => {
  const folder = temporaryFolder('removed')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const open = async (fields: Fields) => {
    const store = sqlite(join(folder, 'books.db'), { layout: 'tables' })
    const router = createRouter({ policy: rest(), store })
    router.prepare(model('book', fields))
    await router.open()
    onTestFinished(() => router.close())
    return router
  }
  await (await open({ title: z.string(), note: z.string(), isbn: z.string().optional() })).close()
  const router = await open({ title: z.string() })
  expect((await router.plan())?.map(({ summary }) => summary)).toEqual([
    "Drop the column 'note' of 'books', which no field of the model 'book' has. Until then each new item is refused, because the column requires a value.",
    "Drop the column 'isbn' of 'books', which no field of the model 'book' has.",
  ])
  const created = await client(router).post('/books', { book: { title: 'Dune' } })
  expect(created.status).toBe(422)
})

it('answers 503 with an old process once a newer one has renamed its table', async () => {
  const folder = temporaryFolder('renamed-meanwhile')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const reports: string[] = []
  const open = async (fields: Fields) => {
    const store = sqlite(join(folder, 'books.db'), { layout: 'tables' })
    const onError = (error: unknown) => reports.push((error as Error).message)
    const router = createRouter({ policy: rest(), store, onError })
    router.prepare(model('book', fields))
    onTestFinished(() => router.close())
    await router.open()
    return client(router)
  }
  const old = await open({ pages: z.int() })
  const created = await old.post('/books', { book: { id: 'dune', pages: 412 } })
  expect(created.status).toBe(201)
  const young = await open({ pageCount: field(z.int(), { was: 'pages' }) })
  for (const { status, headers } of [
    await old.get('/books'),
    await old.get('/books/dune'),
    await old.patch('/books/dune', { book: { pages: 1 } }),
    await old.post('/books', { book: { pages: 1 } }),
  ]) {
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toBe('1')
  }
  expect(reports).toEqual([
    'The tables have changed since this process opened them: no such column: t.pages. Start the program again in its newest version.',
  ])
  expect((await young.get('/books/dune')).body).toEqual({ book: { id: 'dune', pageCount: 412 } })
})
