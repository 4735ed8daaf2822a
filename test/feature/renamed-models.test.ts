import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AnyModel,
  createRouter,
  field,
  file,
  hash,
  model,
  type Router,
  toMany,
  toOne,
} from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { temporaryFolder } from '../support/documentation.ts'

const Author = model('author', { name: z.string() })
const Genre = model('genre', { name: z.string() })

const fieldsBefore = {
  pages: field(z.int(), { index: true }),
  note: field(z.string().optional(), { hidden: true }),
  writer: toOne('author'),
  genres: toMany('genre'),
  hash: hash(),
}
const Volume = model('volume', fieldsBefore)

const Book = model(
  'book',
  {
    pageCount: field(z.int(), { was: 'pages', unique: true }),
    remark: field(z.string().optional(), { was: ['memo', 'note'] }),
    author: toOne('author', { was: 'writer' }),
    genres: toMany('genre'),
    hash: hash(),
  },
  { was: 'volume' },
)

describe.each(['documents', 'tables'] as const)('In the layout %s of SQLite', (layout) => {
  let database: string
  beforeEach(() => {
    const folder = temporaryFolder('renamed')
    onTestFinished(() => rmSync(folder, { recursive: true }))
    database = join(folder, 'books.db')
  })

  const routerOf = (volumeOrBook: AnyModel): Router => {
    const store = sqlite(database, layout === 'tables' ? { layout } : {})
    const router = createRouter({ policy: rest(), store, blobs: memoryBlobs() })
    router.prepare(Author)
    router.prepare(Genre)
    router.prepare(volumeOrBook)
    onTestFinished(() => router.close())
    return router
  }

  async function fill(): Promise<void> {
    const router = routerOf(Volume)
    const volume = { id: 'dune', pages: 412, note: 'lent', writer: 'herbert', genres: ['novel'] }
    await router.load(Author, [{ id: 'herbert', name: 'Frank Herbert' }])
    await router.load(Genre, [{ id: 'novel', name: 'Novel' }])
    await router.load(Volume, [volume])
    await router.close()
  }

  it('a renamed model and its renamed members keep their values', async () => {
    await fill()
    const router = routerOf(Book)
    const api = client(router)
    const { body, etag } = await api.get('/books/dune')
    expect(body).toMatchObject({
      book: {
        id: 'dune',
        pageCount: 412,
        remark: 'lent',
        author: 'herbert',
        genres: ['novel'],
      },
    })
    expect((await api.get('/books?filter[pageCount][gt]=400')).ids('books')).toEqual(['dune'])
    expect((await api.get('/books?filter[genres][any]=novel')).ids('books')).toEqual(['dune'])
    expect((await api.get('/books?filter[author.name]=Nobody')).ids('books')).toEqual([])
    const changed = await api.patch('/books/dune', { book: { genres: [] } }, { 'If-Match': etag })
    expect(changed.status).toBe(200)
    expect(changed.at('/book/pageCount')).toBe(412)
    const twice = { id: 'twice', pageCount: 412, author: 'herbert' }
    expect((await api.post('/books', { book: twice })).status).toBe(409)
    expect((await api.delete('/genres/novel')).status).toBe(204)
    await router.close()
    expect((await client(routerOf(Book)).get('/books')).ids('books')).toEqual(['dune'])
  })

  it('the plan of a start says which tables it renames', async () => {
    await fill()
    const router = routerOf(Book)
    const plan = await router.plan()
    const summaries = plan?.map(({ summary }) => summary)
    expect(summaries).toContain("Rename the table 'volumes' to 'books'.")
    expect(summaries?.filter((summary) => /^Create the (?:join )?table/.test(summary))).toEqual([])
    expect(plan?.filter(({ kind }) => kind === 'refused')).toEqual([])
    await router.open()
    expect((await router.plan())?.filter(({ kind }) => kind !== 'never')).toEqual([])
  })

  it('a former name that is in use again stays with the member that has it', async () => {
    await fill()
    const pageCount = field(z.int().default(1), { was: 'pages' })
    const api = client(routerOf(model('volume', { ...fieldsBefore, pageCount })))
    expect((await api.get('/volumes/dune')).body).toMatchObject({
      volume: { pages: 412, pageCount: 1 },
    })
  })
})

it('a file keeps its bytes when its model is renamed', async () => {
  const folder = temporaryFolder('renamed-file')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const blobs = memoryBlobs()
  const routerOf = (name: string, options: { readonly was?: string }) => {
    const router = createRouter({ policy: rest(), store: sqlite(join(folder, 'a.db')), blobs })
    router.prepare(model(name, { title: z.string(), scan: file() }, options))
    onTestFinished(() => router.close())
    return router
  }
  const old = routerOf('volume', {})
  const bytes = new TextEncoder().encode('some bytes')
  await client(old).post('/volumes', { volume: { id: 'dune', title: 'Dune' } })
  const upload = new Request('http://localhost/volumes/dune/scan', {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: bytes,
  })
  expect((await old.handle(upload)).status).toBeLessThan(300)
  await old.close()
  const scan = await client(routerOf('book', { was: 'volume' })).get('/books/dune/scan')
  expect(scan.text).toBe('some bytes')
})
