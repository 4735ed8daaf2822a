import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { createRouter, field, model } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import type { Store } from 'resourcery/store'
import type { Fields } from 'resourcery/types'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { client } from '../../test/support/client.ts'
import { temporaryFolder } from '../../test/support/documentation.ts'
import { describePostgres } from '../../test/support/postgres/describe-postgres.ts'
import { newDatabase } from '../../test/support/postgres/shared-server.ts'

/** As in a worker that replaces others. */
const workers = vi.hoisted(() => ({ pause: async () => {}, resume: () => {} }))
vi.mock('../process/pause-old-workers.ts', () => ({
  mayHaveOldWorkers: () => true,
  pauseOldWorkers: () => workers.pause(),
  resumeOldWorkers: () => workers.resume(),
}))

type OpenStore = () => Promise<() => Store>

const files =
  (layout: 'documents' | 'tables'): OpenStore =>
  async () => {
    const folder = temporaryFolder('pauses')
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'books.db')
    return () => (layout === 'tables' ? sqlite(file, { layout }) : sqlite(file))
  }

const servers: OpenStore = async () => {
  const database = await newDatabase()
  onTestFinished(() => database.drop())
  return () => postgres(database.url, { maxConnections: 2 })
}

const before: Fields = { title: z.string(), pages: z.int().optional() }

type Change = readonly [name: string, fields: Fields, was: string | undefined]

const unchanged: Change = ['nothing has changed', before, undefined]
const optional: Change = [
  'a field is optional',
  { ...before, note: z.string().optional() },
  undefined,
]
const withDefault: Change = [
  'a field has a default',
  { ...before, note: z.string().default('-') },
  undefined,
]
const changes: readonly Change[] = [
  [
    'a field is renamed',
    { heading: field(z.string(), { was: 'title' }), pages: z.int().optional() },
    undefined,
  ],
  ['the model is renamed', before, 'book'],
  [
    'a required field is filled in',
    { ...before, note: field(z.string(), { backfill: (old) => `on ${old.title}` }) },
    undefined,
  ],
  [
    'both',
    {
      heading: field(z.string(), { was: 'title' }),
      note: field(z.string(), { backfill: () => '-' }),
    },
    'book',
  ],
]

function pauses(openStore: OpenStore, pausing: readonly Change[], others: readonly Change[]): void {
  let whenPaused: () => Promise<void>
  let count = 0
  beforeEach(() => {
    count = 0
    whenPaused = async () => {}
    workers.pause = () => {
      count++
      return whenPaused()
    }
  })

  async function deployed() {
    const newStore = await openStore()
    const open = async (name: string, fields: Fields, was?: string) => {
      const router = createRouter({ policy: rest(), store: newStore(), onError: () => {} })
      router.prepare(model(name, fields, was === undefined ? {} : { was }))
      onTestFinished(() => router.close())
      await router.open()
      return client(router)
    }
    const old = await open('book', before)
    expect(count).toBe(0)
    const dune = await old.post('/books', { book: { id: 'dune', title: 'Dune' } })
    expect(dune.status).toBe(201)
    return { old, open }
  }

  it.each(pausing)(
    'pauses old workers, which can use the store until then, where %s',
    async (_, fields, was) => {
      const { old, open } = await deployed()
      const statuses: number[] = []
      whenPaused = async () => {
        // Requests under way finish now, so they must not wait for a lock.
        const emma = { book: { id: 'emma', title: 'Emma' } }
        statuses.push((await old.post('/books', emma)).status)
        statuses.push((await old.patch('/books/dune', { book: { pages: 412 } })).status)
        statuses.push((await old.get('/books')).status)
      }
      const name = was === undefined ? 'book' : 'volume'
      const young = await open(name, fields, was)
      expect([count, ...statuses]).toEqual([1, 201, 200, 200])
      const list = await young.get(`/${name}s`)
      expect(list.body).toMatchObject({ [`${name}s`]: [{ id: 'dune' }, { id: 'emma' }] })
      // The same models change nothing.
      await open(name, fields, was)
      expect(count).toBe(1)
    },
  )

  it.each(others)('pauses nobody where %s', async (_, fields) => {
    const { old, open } = await deployed()
    await open('book', fields)
    expect(count).toBe(0)
    expect((await old.get('/books/dune')).status).toBe(200)
  })
}

describe('documents of SQLite', () =>
  pauses(files('documents'), [optional, withDefault, ...changes], [unchanged]))
describe('tables of SQLite', () =>
  pauses(files('tables'), changes, [unchanged, optional, withDefault]))
describePostgres('tables of PostgreSQL', () =>
  pauses(servers, changes, [unchanged, optional, withDefault]),
)

describePostgres('while a report reads tables of PostgreSQL', () => {
  it('lets old workers go on between attempts of a rename, and takes it after a pause', async () => {
    const database = await newDatabase()
    onTestFinished(() => database.drop())
    const open = async (fields: Fields) => {
      const store = postgres(database.url, { maxConnections: 2 })
      const router = createRouter({ policy: rest(), store, onError: () => {} })
      router.prepare(model('book', fields))
      onTestFinished(() => router.close())
      await router.open()
      return client(router)
    }
    const old = await open(before)
    const report = new Client({ connectionString: database.url })
    await report.connect()
    await report.query('begin')
    await report.query('select count(*) from books')
    const events: string[] = []
    workers.pause = async () => void events.push('pause')
    workers.resume = () => void events.push('resume')
    const opening = open({ heading: field(z.string(), { was: 'title' }) })
    await expect.poll(() => events.join(' '), { timeout: 10_000 }).toBe('pause resume pause resume')
    const startedAt = performance.now()
    expect((await old.get('/books')).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(250)
    await report.query('commit')
    await report.end()
    const young = await opening
    expect(events.join(' ')).toMatch(/^(pause resume )+pause$/)
    expect((await young.get('/books')).status).toBe(200)
  })
})
