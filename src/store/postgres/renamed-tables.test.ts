import { setTimeout as wait } from 'node:timers/promises'
import { createRouter, field, model } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import type { Fields } from 'resourcery/types'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { idEquals } from '../../query/conditions.ts'

describePostgres('A process whose column was renamed by a newer one', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  }, 120_000)
  afterAll(() => database?.drop())

  it('answers 503, and says why to the service', async () => {
    const reports: string[] = []
    const open = async (fields: Fields) => {
      const onError = (error: unknown) => reports.push((error as Error).message)
      const router = createRouter({ policy: rest(), store: postgres(database.url), onError })
      router.prepare(model('book', fields))
      onTestFinished(() => router.close())
      await router.open()
      return client(router)
    }
    const old = await open({ pages: z.int() })
    await old.post('/books', { book: { id: 'dune', pages: 412 } })
    const young = await open({ pageCount: field(z.int(), { was: 'pages' }) })
    for (const { status } of [
      await old.get('/books?page[size]=2'),
      await old.get('/books/dune'),
      await old.patch('/books/dune', { book: { pages: 1 } }),
      await old.post('/books', { book: { pages: 1 } }),
    ])
      expect(status).toBe(503)
    expect(reports).toEqual([
      'The tables have changed since this process opened them: column t.pages does not exist. Start the program again in its newest version.',
    ])
    expect((await young.get('/books/dune')).body).toEqual({ book: { id: 'dune', pageCount: 412 } })
  })

  it('reads while a start waits for others to let the table go', async () => {
    const [volume] = describeModels([model('volume', { pages: z.int() })])
    const [renamed] = describeModels([
      model('volume', { pageCount: field(z.int(), { was: 'pages' }) }),
    ])
    const dune = idEquals('dune')
    const [old, young] = [postgres(database.url), postgres(database.url)]
    onTestFinished(async () => {
      await Promise.all([old.close(), young.close()])
    })
    await old.open([volume!])
    let release = (): void => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    let reading: Promise<void> | undefined
    await new Promise<void>((begin) => {
      reading = old.write(async (transaction) => {
        await transaction.find(volume!, dune)
        begin()
        await isReleased
      })
    })
    let isOpen = false
    const opening = young.open([renamed!]).then(() => {
      isOpen = true
    })
    let longestMs = 0
    for (let round = 0; round < 60; round++) {
      const startedAt = performance.now()
      expect(await old.find(volume!, dune)).toBe(undefined)
      longestMs = Math.max(longestMs, performance.now() - startedAt)
      await wait(25)
    }
    expect([isOpen, longestMs < 1_200]).toEqual([false, true])
    release()
    await reading
    await opening
    expect(await young.find(renamed!, dune)).toBe(undefined)
  })
})
