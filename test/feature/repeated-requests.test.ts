import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  action,
  createRouter,
  field,
  file,
  hash,
  image,
  type Middleware,
  model,
  type Router,
  type RouterOptions,
  refuse,
  type Store,
  stateKey,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import { mediaType } from '../spec/support/document-client.ts'
import { accessRouter, as, Caller, loadAccessWorld, Talk, token } from '../support/access-world.ts'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { png, sha256 } from '../support/resources.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Shelf = model('shelf', { name: z.string(), books: toMany('book', { inverse: 'shelf' }) })
const Tag = model('tag', { name: z.string() })
let calls = 0
class Book extends model('book', {
  title: z.string().min(1),
  stock: z.number().int().min(0).default(0),
  status: z.string().default('draft'),
  owner: z.string().default('anna'),
  note: field(z.string().default('hidden'), { hidden: true }),
  shelf: toOne('shelf', { optional: true }),
  tags: toMany('tag'),
  cover: image(),
  hash: hash(),
}) {
  restock(input: { by: number }) {
    this.stock += input.by
  }
  async order() {
    calls++
    await new Promise((resolve) => setTimeout(resolve, 5))
    this.stock--
    return { ordered: calls }
  }
  publish() {
    this.status = 'published'
  }
  async describe(input: { length: number }) {
    this.stock++
    return { text: 'x'.repeat(input.length) }
  }
  static {
    action(this, 'restock', { input: z.object({ by: z.number() }) })
    action(this, 'order', { output: z.object({ ordered: z.number() }) })
    action(this, 'publish')
    action(this, 'describe', {
      input: z.object({ length: z.number() }),
      output: z.object({ text: z.string() }),
    })
  }
}

const models = [Shelf, Tag, Book]
const key = (name: string) => ({ 'idempotency-key': `"${name}"` })
const book = (title: string) => ({ book: { title } })

function open(
  store: Store,
  options: Partial<RouterOptions> = {},
): { readonly router: Router; readonly api: Client } {
  return service(store, models, { blobs: memoryBlobs(), idempotency: true, ...options })
}

function expectReplay(first: ClientResponse, again: ClientResponse): void {
  expect(again.headers.get('idempotency-replayed'), again.text).toBe('true')
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  for (const name of ['content-type', 'etag', 'location', 'cache-control', 'vary'])
    expect(again.headers.get(name), name).toBe(first.headers.get(name))
  expect({ status: again.status, text: again.text }).toEqual({
    status: first.status,
    text: first.text,
  })
}

describe.each(stores)('a request with an Idempotency-Key, on $name', ({ make, makeData }) => {
  it('creates one item, and gets its response again', async () => {
    const { api } = open(await make())
    const first = await api.post('/books', book('Dune'), key('a'))
    expect(first.status).toBe(201)
    expectReplay(first, await api.post('/books', book('Dune'), key('a')))
    // Bare, as many clients send it.
    expectReplay(first, await api.post('/books', book('Dune'), { 'idempotency-key': 'a' }))
    expect((await api.get('/books')).ids('books')).toHaveLength(1)
    const other = await api.post('/books', book('Dune'), key('b'))
    expect(other.headers.get('idempotency-replayed')).toBeNull()
    expect((await api.get('/books')).ids('books')).toHaveLength(2)
    expect((await api.post('/books', book('Dune'))).headers.get('idempotency-replayed')).toBeNull()
  })

  it('is carried out once for every operation that writes', async () => {
    const { api } = open(await make())
    await api.post('/shelves', { shelf: { id: 's-1', name: 'One' } })
    await api.post('/tags', { tag: { id: 't-1', name: 'One' } })
    await api.put('/books/b-1', { book: { id: 'b-1', title: 'Dune' } })
    await api.post('/books', { book: { id: 'b-1', title: 'Dune' } })
    const sent: readonly (readonly [string, string, unknown])[] = [
      ['PATCH', '/books/b-1', { book: { title: 'Dune Messiah' } }],
      ['PUT', '/books/b-1', { book: { title: 'Children of Dune', stock: 4 } }],
      ['POST', '/books/b-1/restock', { by: 3 }],
      ['POST', '/books/b-1/order', undefined],
      ['DELETE', '/books/b-1', undefined],
    ]
    for (const [method, path, body] of sent) {
      const first = await api.send(method, path, body, key(`${method} ${path}`))
      expect(first.status, `${method} ${path} ${first.text}`).toBeLessThan(300)
      const again = await api.send(method, path, body, key(`${method} ${path}`))
      expectReplay(first, again)
    }
    expect((await api.get('/books/b-1')).status).toBe(404)
  })

  it('stores an upload once, by its Content-Digest', async () => {
    const { router, api } = open(await make())
    await api.post('/books', { book: { id: 'b-1', title: 'Dune' } })
    const send = async (method: string, bytes?: Uint8Array): Promise<Response> =>
      router.handle(
        new Request('http://localhost/books/b-1/cover', {
          method,
          headers: {
            ...key('upload'),
            ...(bytes && {
              'content-type': 'image/png',
              'content-digest': `sha-256=:${Buffer.from(sha256(bytes), 'hex').toString('base64')}:`,
            }),
          },
          body: bytes ? Buffer.from(bytes) : null,
        }),
      )
    const first = await send('POST', png(1))
    expect(first.status).toBe(200)
    const firstText = await first.text()
    await api.patch('/books/b-1', { book: { title: 'Emma' } })
    const again = await send('POST', png(1))
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await again.text()).toBe(firstText)
    expect((await send('POST', png(2))).status).toBe(422)
    for (const replayed of [null, 'true']) {
      const deleted = await send('DELETE')
      expect([deleted.status, deleted.headers.get('idempotency-replayed')]).toEqual([204, replayed])
    }
  })

  it('counts once, and an action runs once, however many requests come at a time', async () => {
    const { api } = open(await make())
    await api.post('/books', { book: { id: 'b-1', title: 'Dune', stock: 10 } })
    calls = 0
    const ordered = await Promise.all(
      Array.from({ length: 5 }, () => api.post('/books/b-1/order', undefined, key('order'))),
    )
    expect(new Set(ordered.map(({ text }) => text)).size).toBe(1)
    expect(calls).toBe(1)
    expect(
      ordered.filter(({ headers }) => headers.get('idempotency-replayed') === 'true'),
    ).toHaveLength(4)
    const restocked = await Promise.all(
      Array.from({ length: 5 }, () => api.post('/books/b-1/restock', { by: 5 }, key('restock'))),
    )
    expect(restocked.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect((await api.get('/books/b-1')).at('/book/stock')).toBe(14)
  })

  it('is the same for two processes over one database', async () => {
    const data = await makeData()
    const blobs = memoryBlobs()
    const [one, other] = [open(data(), { blobs }), open(data(), { blobs })]
    await one.router.open()
    await other.router.open()
    await one.api.post('/books', { book: { id: 'b-1', title: 'Dune' } })
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? one : other).api.post('/books/b-1/restock', { by: 5 }, key('restock')),
      ),
    )
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
    expect(new Set(all.map(({ text }) => text)).size).toBe(1)
    // With the id of the client, the insert of the second one would be refused.
    const created = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        (index % 2 === 0 ? one : other).api.post(
          '/books',
          { book: { id: 'b-2', title: 'Emma' } },
          key('create'),
        ),
      ),
    )
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201))
    expect((await other.api.get('/books/b-1')).at('/book/stock')).toBe(5)
    await one.router.close()
    await other.router.close()
  })

  it('gets the stored response after a restart, as the item was then', async () => {
    const data = await makeData()
    const first = open(data())
    const created = await first.api.post('/books', { book: { id: 'b-1', title: 'Dune' } }, key('a'))
    await first.api.patch('/books/b-1', { book: { title: 'Emma' } })
    await first.router.close()
    const second = open(data())
    const again = await second.api.post('/books', { book: { id: 'b-1', title: 'Dune' } }, key('a'))
    expectReplay(created, again)
    expect(again.at('/book/title')).toBe('Dune')
    await second.router.close()
  })

  it('is refused with 422 if the key was sent with another request', async () => {
    const { api } = open(await make())
    const { body } = await api.post('/books', book('Dune'), key('a'))
    const { id } = (body as { book: { id: string } }).book
    for (const other of [
      await api.post('/books', book('Emma'), key('a')),
      await api.post('/books?include=tags', book('Dune'), key('a')),
    ]) {
      expect(other.status).toBe(422)
      expect(other.errors).toEqual([
        expect.objectContaining({
          code: 'idempotency-key-reused',
          source: { header: 'Idempotency-Key' },
        }),
      ])
    }
    // Another path and another operation are other keys.
    const patched = await api.patch(`/books/${id}`, { book: { title: 'Emma' } }, key('a'))
    expect(patched.status).toBe(200)
  })

  it('is judged anew after a refusal', async () => {
    const { api } = open(await make())
    const missing = await api.patch('/books/b-1', { book: { title: 'Emma' } }, key('a'))
    expect(missing.status).toBe(404)
    expect((await api.post('/books', { book: { title: '' } }, key('b'))).status).toBe(422)
    await api.post('/books', { book: { id: 'b-1', title: 'Dune' } })
    const patched = await api.patch('/books/b-1', { book: { title: 'Emma' } }, key('a'))
    expect(patched.status).toBe(200)
    expect((await api.post('/books', { book: { title: 'Fine' } }, key('b'))).status).toBe(201)
  })

  it('gets its response, not 412, when the first request has changed the version', async () => {
    const { api } = open(await make())
    const { etag } = await api.post('/books', { book: { id: 'b-1', title: 'Dune' } })
    const change = () =>
      api.patch('/books/b-1', { book: { title: 'Emma' } }, { ...key('a'), 'if-match': etag })
    const first = await change()
    expect(first.status).toBe(200)
    expectReplay(first, await change())
    const unkeyed = await api.patch('/books/b-1', { book: { title: 'Emma' } }, { 'if-match': etag })
    expect(unkeyed.status).toBe(412)
  })

  it('asks hooks and access again before it repeats a response', async () => {
    const user = stateKey<string>('user')
    let isBanned = false
    const guard: Middleware<Book> = {
      request: {
        any: ({ request, state }) => {
          const name = request.headers['x-user']
          if (!name) refuse('unauthorized', 'Sign in.')
          if (isBanned) refuse('forbidden', 'Banned.')
          state.set(user, name)
        },
      },
      query: {
        read: (query, { state }) => query.where('owner').equal(state.get(user)!),
        create: (query, { state }) => query.where('owner').equal(state.get(user)!),
        action: (query, { action: name }) =>
          name === 'publish' ? query.where('status').equal('draft') : query,
      },
      declares: { errors: ['unauthorized', 'forbidden'] },
    }
    const router = createRouter({
      policy: rest(),
      store: await make(),
      blobs: memoryBlobs(),
      idempotency: { scope: ({ request }) => request.headers['x-user'] ?? '' },
    })
    for (const each of [Shelf, Tag]) router.prepare(each)
    router.prepare(Book).use(guard)
    const api = client(router)
    const anna = { 'x-user': 'anna' }
    const create = (headers: Record<string, string>) =>
      api.post('/books', { book: { id: 'b-1', title: 'Dune' } }, { ...key('a'), ...headers })
    const publish = () => api.post('/books/b-1/publish', undefined, { ...key('p'), ...anna })
    const created = await create(anna)
    expect(created.status).toBe(201)
    expectReplay(created, await create(anna))
    expect((await create({})).status).toBe(401)
    // Another caller with the same key has sent no request yet.
    expect((await create({ 'x-user': 'bert' })).status).toBe(409)
    const published = await publish()
    expect(published.status).toBe(200)
    // The item is no draft any more, and its own reader may see it.
    expectReplay(published, await publish())
    await router.items(Book).update('b-1', { owner: 'bert' })
    expect((await create(anna)).status).toBe(403)
    expect((await publish()).status).toBe(404)
    await router.items(Book).update('b-1', { owner: 'anna' })
    isBanned = true
    expect((await create(anna)).status).toBe(403)
    isBanned = false
    await router.items(Book).delete('b-1')
    expectReplay(created, await create(anna))
  })

  it('shows a repetition no field that its caller may not see by now', async () => {
    const router = accessRouter(await make(), rest(), {
      idempotency: { scope: ({ caller }) => (caller as { id: string }).id },
    })
    await loadAccessWorld(router)
    const api = client(router)
    const change = (roles: string) =>
      api.patch('/talks/t1', { talk: { title: 'New' } }, { ...key('a'), ...as(`ann${roles}`) })
    const first = await change(':admin')
    expect(first.status, first.text).toBe(200)
    expect([first.at('/talk/score'), first.at('/talk/notes')]).toEqual([5, 'a'])
    expectReplay(first, await change(':admin'))
    // Without the role, the score does not exist; the notes are those of the speaker.
    const again = await change('')
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect([again.at('/talk/score'), again.at('/talk/notes')]).toEqual([undefined, 'a'])
    expect(again.etag).not.toBe(first.etag)
    await router.items(Talk).update('t1', { speaker: 'bob' })
    const lost = await change('')
    expect([lost.status, lost.at('/talk/notes'), lost.at('/talk/title')]).toEqual([
      200,
      undefined,
      'New',
    ])
  })

  it('shows a repetition no field whose rule depends on what its caller does not see', async () => {
    const Note = model('note', {
      owner: z.string(),
      score: z.int(),
      embargo: z.string().optional(),
    })
    const router = createRouter({
      policy: rest(),
      store: await make(),
      security: { authentication: [token], callerSchema: Caller },
      idempotency: true,
    })
    router.prepare(Note).access(({ item, caller, signedIn }) => ({
      read: signedIn,
      update: signedIn,
      fields: {
        embargo: { read: item.owner.equal(caller.id) },
        score: { read: item.embargo.isNull() },
      },
    }))
    await router.load(Note, [{ id: 'n1', owner: 'ann', score: 5 }])
    const api = client(router)
    const change = () =>
      api.patch('/notes/n1', { note: { owner: 'ann' } }, { ...key('a'), ...as('bob') })
    expect((await change()).at('/note/score')).toBe(5)
    await router.items(Note).update('n1', { embargo: 'until May' })
    const again = await change()
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect([again.status, again.at('/note/score')]).toEqual([200, undefined])
  })

  it('tells of a new item that its caller cannot read nothing but whether it changed for it', async () => {
    const Note = model('note', {
      reader: z.string(),
      text: z.string(),
      word: z.string().optional(),
      state: field(z.string().default('new'), { hidden: true }),
    })
    const router = createRouter({
      policy: rest(),
      store: await make(),
      security: { authentication: [token], callerSchema: Caller },
      idempotency: true,
    })
    router.prepare(Note).access(({ item, caller, anyone, signedIn }) => {
      const read = item.reader.equal(caller.id)
      return { read, create: signedIn, fields: { word: { read, write: anyone } } }
    })
    const api = client(router)
    const create = (id = 'n', name = 'bob') =>
      api.post(
        '/notes',
        { note: { id, reader: 'ann', text: 'a', word: 'b' } },
        { ...key('a'), ...as(name) },
      )
    const first = await create()
    expect([first.status, first.at('/note/word')]).toEqual([201, undefined])
    // Nothing of this was in the response that the caller has had.
    await router.items(Note).update('n', { word: 'other', state: 'read' })
    expectReplay(first, await create())
    await router.items(Note).update('n', { text: 'other' })
    expect((await create()).status).toBe(403)
    await router.items(Note).update('n', { text: 'a' })
    expectReplay(first, await create())
    // Items with hidden members are not kept, whoever sees them.
    expect((await create('own', 'ann')).at('/note/word')).toBe('b')
    for (const [id, name] of [
      ['n', 'bob'],
      ['own', 'ann'],
    ] as const) {
      await router.items(Note).delete(id)
      expect((await create(id, name)).errors).toEqual([
        expect.objectContaining({ code: 'response-not-kept' }),
      ])
    }
  })

  it('shows the result of an upload only to those who may see it now', async () => {
    const Note = model('note', {
      owner: z.string(),
      reader: z.string(),
      scan: file({ types: ['text/plain'] }),
      draft: file({ types: ['text/plain'] }),
    })
    const router = createRouter({
      policy: rest(),
      store: await make(),
      blobs: memoryBlobs(),
      security: { authentication: [token], callerSchema: Caller },
      idempotency: { scope: () => 'of all' },
    })
    router.prepare(Note).access(({ item, caller, signedIn }) => ({
      read: item.owner.equal(caller.id).or(item.reader.equal(caller.id)),
      update: signedIn,
      fields: { draft: { read: item.owner.equal(caller.id) } },
    }))
    await router.load(Note, [{ id: 'n', owner: 'ann', reader: 'bob' }])
    const digest = `sha-256=:${Buffer.from(sha256(Buffer.from('text')), 'hex').toString('base64')}:`
    const upload = (name: string, path: string) =>
      client(router, undefined, 'text/plain').send('POST', `/notes/n/${path}`, 'text', {
        ...key(path),
        ...as(name),
        'content-digest': digest,
      })
    const linksOf = ({ status, at }: ClientResponse) => [
      status,
      Boolean(at('/note/scan')),
      Boolean(at('/note/draft')),
    ]
    expect(linksOf(await upload('ann', 'scan'))).toEqual([200, true, false])
    expect(linksOf(await upload('ann', 'draft'))).toEqual([200, true, true])
    // Another caller of the scope sees what it sees anyway, and nothing is uploaded again.
    const other = await upload('bob', 'scan')
    expect(other.headers.get('idempotency-replayed')).toBe('true')
    expect(linksOf(other)).toEqual([200, true, false])
    expect(linksOf(await upload('bob', 'draft'))).toEqual([200, true, false])
    expect((await client(router).get('/notes/n/draft', as('bob'))).status).toBe(404)
    expect((await upload('eve', 'scan')).status).toBe(404)
    // The item has gone to somebody else.
    await router.items(Note).update('n', { owner: 'cleo', reader: 'ann' })
    expect(linksOf(await upload('ann', 'scan'))).toEqual([200, true, false])
    await router.items(Note).update('n', { reader: 'cleo' })
    expect((await upload('ann', 'scan')).status).toBe(404)
  })

  it('belongs to its caller, by default to the credentials that are sent', async () => {
    const { api } = open(await make())
    const create = (headers: Record<string, string>) =>
      api.post('/books', book('Dune'), { ...key('a'), ...headers })
    const [anna, bert] = [{ authorization: 'Bearer anna' }, { authorization: 'Bearer bert' }]
    const first = await create(anna)
    expect((await create(bert)).headers.get('idempotency-replayed')).toBeNull()
    expect((await create({ cookie: 'a=b' })).headers.get('idempotency-replayed')).toBeNull()
    expectReplay(first, await create(anna))
    expect((await api.get('/books')).ids('books')).toHaveLength(3)
  })

  it('reads long items again, and keeps no long output', async () => {
    const { api } = open(await make(), { idempotency: { maxResultBytes: 200 } })
    const long = { book: { id: 'b-1', title: 'long '.repeat(100) } }
    const first = await api.post('/books', long, key('a'))
    expect(first.status).toBe(201)
    await api.patch('/books/b-1', { book: { stock: 7 } })
    const again = await api.post('/books', long, key('a'))
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect([again.status, again.at('/book/stock')]).toEqual([201, 7])
    const describeBook = () => api.post('/books/b-1/describe', { length: 300 }, key('d'))
    expect((await describeBook()).status).toBe(200)
    const dropped = await describeBook()
    expect([dropped.status, dropped.errors[0]!.code]).toEqual([409, 'response-not-kept'])
    expect((await api.get('/books/b-1')).at('/book/stock')).toBe(8)
    await api.delete('/books/b-1')
    expect((await api.post('/books', long, key('a'))).status).toBe(409)
  })

  it('may be a batch, with one key for all of its operations', async () => {
    const router = createRouter({
      policy: jsonApi(),
      store: await make(),
      idempotency: { required: ['batch'] },
    })
    for (const each of [Shelf, Tag]) router.prepare(each)
    router.prepare(model('book', { title: z.string(), shelf: toOne('shelf', { optional: true }) }))
    const api = client(router, 'http://localhost', mediaType)
    const operations = {
      'atomic:operations': [
        { op: 'add', data: { type: 'shelves', lid: 's', attributes: { name: 'New' } } },
        {
          op: 'add',
          data: {
            type: 'books',
            attributes: { title: 'Dune' },
            relationships: { shelf: { data: { type: 'shelves', lid: 's' } } },
          },
        },
      ],
    }
    const send = (headers: Record<string, string>, body: object = operations) =>
      api.post('/operations', body, { 'content-type': atomicType, accept: atomicType, ...headers })
    expect((await send({})).errors[0]).toMatchObject({
      code: 'idempotency-key-required',
      source: { header: 'Idempotency-Key' },
    })
    const first = await send(key('a'))
    expect(first.status, first.text).toBe(200)
    expectReplay(first, await send(key('a')))
    expect((await send(key('a'), { 'atomic:operations': [] })).status).not.toBe(200)
    expect((await api.get('/books')).at('/data')).toHaveLength(1)
    const { id } = first.at('/atomic:results/0/data') as { id: string }
    const { id: bookId } = first.at('/atomic:results/1/data') as { id: string }
    const linkage = { data: { type: 'shelves', id } }
    const path = `/books/${bookId}/relationships/shelf`
    const linked = await api.patch(path, linkage, key('l'))
    expect(linked.status).toBeLessThan(300)
    expectReplay(linked, await api.patch(path, linkage, key('l')))
  })
})

describe('the header Idempotency-Key', () => {
  it.each(['', '"open', 'a, b', 'x'.repeat(256), '"é"', '""'])(
    'is refused where it is malformed: %s',
    async (value) => {
      const { api } = open(memory())
      const response = await api.post('/books', book('Dune'), { 'idempotency-key': value })
      expect(response.status).toBe(400)
      expect(response.errors).toEqual([
        expect.objectContaining({
          code: 'invalid-idempotency-key',
          source: { header: 'Idempotency-Key' },
        }),
      ])
      expect((await api.get('/books')).ids('books')).toEqual([])
    },
  )

  it('is ignored by reads, and by routers without the option', async () => {
    const { api } = open(memory())
    expect((await api.get('/books', { 'idempotency-key': 'a, b' })).status).toBe(200)
    const { api: other } = service(memory(), [Tag])
    for (let index = 0; index < 2; index++)
      expect((await other.post('/tags', { tag: { name: 'a' } }, key('a'))).status).toBe(201)
    expect((await other.get('/tags')).ids('tags')).toHaveLength(2)
  })

  it('can be required for some operations', async () => {
    const { api } = open(memory(), { idempotency: { required: ['create', 'action'] } })
    const refused = await api.post('/books', book('Dune'))
    expect(refused.status).toBe(400)
    expect(refused.errors[0]!.code).toBe('idempotency-key-required')
    expect((await api.post('/books', { book: { id: 'b', title: 'Dune' } }, key('a'))).status).toBe(
      201,
    )
    expect((await api.post('/books/b/publish')).status).toBe(400)
    expect((await api.patch('/books/b', { book: { title: 'Emma' } })).status).toBe(200)
  })

  it('can be required for some operations of one model, of all models too', async () => {
    const { api, router } = open(memory(), {
      idempotency: { required: ['delete_', { model: 'book', operations: ['create', 'action'] }] },
    })
    expect((await api.post('/books', book('Dune'))).errors[0]!.code).toBe(
      'idempotency-key-required',
    )
    const dune = { book: { id: 'b', title: 'Dune' } }
    expect((await api.post('/books', dune, key('a'))).status).toBe(201)
    expect((await api.post('/books/b/publish')).status).toBe(400)
    expect((await api.patch('/books/b', { book: { title: 'Emma' } })).status).toBe(200)
    expect((await api.post('/tags', { tag: { id: 't', name: 'new' } })).status).toBe(201)
    expect((await api.delete('/tags/t')).status).toBe(400)
    const { paths } = router.toOpenApi()
    const parametersOf = (path: string) => JSON.stringify(paths[path]!.post!.parameters)
    expect(parametersOf('/books')).toContain('RequiredIdempotencyKey')
    expect(parametersOf('/tags')).not.toContain('RequiredIdempotencyKey')
  })

  it('is required of a batch where one of its operations requires it', async () => {
    const router = createRouter({
      policy: jsonApi(),
      store: memory(),
      idempotency: { required: [{ model: 'shelf', operations: ['create'] }] },
    })
    for (const each of [Shelf, Tag]) router.prepare(each)
    router.prepare(model('book', { title: z.string(), shelf: toOne('shelf', { optional: true }) }))
    const api = client(router, 'http://localhost', mediaType)
    const send = (types: readonly string[], headers: Record<string, string> = {}) =>
      api.post(
        '/operations',
        {
          'atomic:operations': types.map((type) => ({
            op: 'add',
            data: { type, attributes: { name: 'New' } },
          })),
        },
        { 'content-type': atomicType, accept: atomicType, ...headers },
      )
    expect((await send(['tags'])).status).toBe(200)
    const refused = await send(['tags', 'shelves', 'shelves'])
    expect(refused.status).toBe(400)
    expect(refused.errors).toEqual(
      [1, 2].map((index) =>
        expect.objectContaining({
          code: 'idempotency-key-required',
          source: { pointer: `/atomic:operations/${index}` },
        }),
      ),
    )
    expect((await send(['tags', 'shelves'], key('a'))).status).toBe(200)
    const { BatchIdempotencyKey } = router.toOpenApi().components.parameters!
    expect(BatchIdempotencyKey).not.toHaveProperty('required')
    expect(BatchIdempotencyKey!.description).toContain('one of the operations requires it')
  })

  it('needs Content-Digest for an upload', async () => {
    const { api } = open(memory())
    await api.post('/books', { book: { id: 'b', title: 'Dune' } })
    const upload = await api.post('/books/b/cover', png(1), {
      'content-type': 'image/png',
      ...key('a'),
    })
    expect(upload.errors).toEqual([
      expect.objectContaining({
        code: 'invalid-idempotency-key',
        detail: expect.stringContaining('Content-Digest'),
      }),
    ])
  })

  it('is documented with its errors where it is used', () => {
    const { router } = open(memory(), { idempotency: { required: ['create'], keepMs: 3_600_000 } })
    const document = router.toOpenApi() as unknown as {
      paths: Record<string, Record<string, { parameters?: { $ref?: string }[]; responses: object }>>
      components: { parameters: Record<string, { description: string; required?: boolean }> }
    }
    const { parameters } = document.components
    expect(parameters.RequiredIdempotencyKey).toMatchObject({ required: true })
    expect(parameters.IdempotencyKey!.description).toContain('for 1 hour')
    expect(parameters.UploadIdempotencyKey!.description).toContain('Content-Digest')
    const refs = (path: string, method: string) =>
      document.paths[path]![method]!.parameters?.map(({ $ref }) => $ref?.split('/').at(-1))
    expect(refs('/books', 'post')).toContain('RequiredIdempotencyKey')
    expect(refs('/books/{id}', 'delete')).toContain('IdempotencyKey')
    expect(refs('/books', 'get') ?? []).not.toContain('IdempotencyKey')
    const created = JSON.stringify(document.paths['/books']!.post!.responses)
    expect(JSON.stringify(document)).toContain('idempotency-key-reused')
    expect(created).toContain('Idempotency-Replayed')
  })

  it.each(['documents', 'tables'] as const)(
    'leaves no output of an action in a file with the layout %s',
    async (layout) => {
      const folder = mkdtempSync(join(tmpdir(), 'repeated-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const file = join(folder, 'a.db')
      const store = layout === 'tables' ? sqlite(file, { layout }) : sqlite(file)
      class Vault extends model('vault', { name: z.string() }) {
        unlock({ word }: { word: string }) {
          this.name += '!'
          return { secret: `${word}-42` }
        }
        static {
          action(this, 'unlock', {
            input: z.object({ word: z.string() }),
            output: z.object({ secret: z.string() }),
          })
        }
      }
      const { router, api } = service(store, [Vault], { idempotency: true })
      await api.post('/vaults', { vault: { id: 'v-1', name: 'Vault' } })
      const openVault = () => api.post('/vaults/v-1/unlock', { word: 'sesame' }, key('my-key'))
      const first = await openVault()
      expect(first.text).toContain('sesame-42')
      expectReplay(first, await openVault())
      const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
      await router.close()
      bytes.push(readFileSync(file, 'latin1'))
      expect(bytes.some((text) => text.includes('Vault!'))).toBe(true)
      for (const text of bytes) expect(text).not.toMatch(/sesame|my-key/)
    },
  )

  it('is answered, and its work not repeated, where the record cannot be read', async () => {
    const store = memory()
    const { requestRecords } = store
    const { api } = open({
      ...store,
      requestRecords: Object.assign(Object.create(requestRecords!), {
        find: async (name: string, nowMs: number) =>
          (await requestRecords!.find(name, nowMs))?.slice(1),
        usage: () => requestRecords!.usage(),
        removeExpired: (nowMs: number, limit: number) =>
          requestRecords!.removeExpired(nowMs, limit),
      }),
    })
    await api.post('/books', { book: { id: 'b-1', title: 'Dune' } })
    const restock = () => api.post('/books/b-1/restock', { by: 5 }, key('a'))
    expect((await restock()).status).toBe(200)
    const again = await restock()
    expect([again.status, again.errors[0]!.code]).toEqual([409, 'response-not-kept'])
    expect((await api.get('/books/b-1')).at('/book/stock')).toBe(5)
  })

  it('is not stored itself, nor are credentials', async () => {
    const store = memory()
    const written: string[] = []
    const { api } = open({
      ...store,
      write: (work, caller) =>
        store.write((transaction) => {
          const { requestRecords } = transaction
          return work({
            ...transaction,
            requestRecords: {
              ...requestRecords!,
              reserve: (name, sender, times) => {
                written.push(name, sender)
                return requestRecords!.reserve(name, sender, times)
              },
              write: (name, text) => {
                written.push(name, text)
                return requestRecords!.write(name, text)
              },
            },
          })
        }, caller),
    })
    await api.post('/books', book('Dune'), { ...key('my-key'), authorization: 'Bearer my-token' })
    expect(written).toHaveLength(4)
    for (const text of written) expect(text).not.toMatch(/my-key|my-token|hidden|Dune|fingerprint/)
  })

  it('is refused with 503 once too many results are kept, until they expire', async () => {
    const { api } = open(memory(), {
      idempotency: {
        maxRecords: 2,
        keepMs: 60_000,
        scope: ({ request }) => request.headers['x-user']!,
      },
    })
    const create = (title: string, user: string) =>
      api.post('/books', book(title), { ...key(title), 'x-user': user })
    expect((await create('One', 'ann')).status).toBe(201)
    expect((await create('Two', 'bob')).status).toBe(201)
    const full = await create('Three', 'cy')
    expect([full.status, full.errors[0]!.code]).toEqual([503, 'overloaded'])
    const seconds = Number(full.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(30)
    expect(seconds).toBeLessThanOrEqual(60)
    expect((await create('One', 'ann')).status).toBe(201)
    expect((await api.post('/books', book('Three'), { 'x-user': 'cy' })).status).toBe(201)
  })

  it.each([{ maxRecords: 100 }, { maxTotalBytes: 100_000 }])(
    'leaves a share of %j to each caller',
    async (limits) => {
      const router = accessRouter(memory(), rest(), { idempotency: { keepMs: 60_000, ...limits } })
      await loadAccessWorld(router)
      const api = client(router)
      let count = 0
      const create = (token: string) =>
        api.post(
          '/talks',
          { talk: { title: 'x'.repeat(400) } },
          { ...key(`${count++}`), ...as(token) },
        )
      const created = async (token: string, requests: number) => {
        const statuses: number[] = []
        for (let index = 0; index < requests; index++) statuses.push((await create(token)).status)
        return statuses.filter((status) => status === 201).length
      }
      const ofBob = await created('bob', 120)
      expect(ofBob).toBeGreaterThanOrEqual(30)
      expect(ofBob).toBeLessThanOrEqual(60)
      // Another token of the same caller has no share of its own.
      const refused = await create('bob:speaker')
      expect(refused.status).toBe(503)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30)
      for (const other of ['ann', 'cy']) expect(await created(other, 20)).toBeGreaterThanOrEqual(6)
    },
  )

  it('has one share for anonymous clients of one address, whatever they invent', async () => {
    const { api } = open(memory(), { idempotency: { maxRecords: 40 } })
    const statuses: number[] = []
    for (let index = 0; index < 40; index++)
      statuses.push(
        (await api.post('/books', book('One'), { ...key('a'), authorization: `${index}` })).status,
      )
    expect(statuses.filter((status) => status === 201)).toHaveLength(20)
  })

  it('keeps no item that the request has left as it was', async () => {
    const store = memory()
    const { api } = open(store)
    const title = 'x'.repeat(60_000)
    await api.post('/books', { book: { id: 'b-1', title } })
    const patch = (name: string, values: object) =>
      api.patch('/books/b-1', { book: values }, key(name))
    const first = await patch('same', { title })
    expectReplay(first, await patch('same', { title }))
    expect((await store.requestRecords!.usage()).bytes).toBeLessThan(1_000)
    await patch('other', { stock: 1 })
    expect((await store.requestRecords!.usage()).bytes).toBeGreaterThan(60_000)
  })

  it.each([
    [{ required: ['get'] }, "unknown operation 'get'"],
    [{ required: 'create' }, 'must be a list of operations'],
    [
      { required: [{ model: 'book', operations: ['batch'] }] },
      "for the model 'book', has the unknown operation 'batch'",
    ],
    [
      { required: [{ model: 'book', operations: 'create' }] },
      "for the model 'book', must be a list",
    ],
    [{ required: [{ model: 'book', operation: ['create'] }] }, "'operation'"],
    [{ keepMs: 0 }, 'keepMs'],
    [{ maxTotalBytes: 0 }, 'maxTotalBytes'],
    [{ keep: 5 }, "'keep'"],
    [{ scope: 'user' }, "'scope'"],
  ])('refuses the options %j', (idempotency, message) => {
    expect(() => open(memory(), { idempotency: idempotency as never })).toThrow(message)
  })

  it('refuses an operation of a model that the router does not have', () => {
    const { router } = open(memory(), {
      idempotency: { required: [{ model: 'boook', operations: ['create'] }] },
    })
    expect(() => router.toOpenApi()).toThrow(
      "The option 'required' of 'idempotency' names the unknown model 'boook'. Did you mean 'book'?",
    )
  })

  it('needs a store that keeps results', () => {
    const { requestRecords: _, ...store } = memory()
    expect(() => open(store)).toThrow('needs a store that keeps results of requests')
  })

  it('is refused by tables of another program', () => {
    const folder = mkdtempSync(join(tmpdir(), 'repeated-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'tables.db')
    expect(() => open(sqlite(file, { layout: 'tables', manage: false }))).toThrow(
      'needs a store that keeps results of requests',
    )
  })

  it.each(['documents', 'tables'] as const)(
    'adds a table to an SQLite file in the layout %s, which a plan names',
    async (layout) => {
      const folder = mkdtempSync(join(tmpdir(), 'repeated-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const store = () =>
        layout === 'tables'
          ? sqlite(join(folder, 'a.db'), { layout })
          : sqlite(join(folder, 'a.db'))
      const before = service(store(), [Tag]).router
      await before.open()
      await before.close()
      const { router, api } = service(store(), [Tag], { idempotency: true })
      expect(await router.plan()).toEqual([
        expect.objectContaining({
          kind: 'instant',
          summary: expect.stringContaining('Idempotency-Key'),
          sql: [
            expect.stringContaining('create table'),
            expect.stringContaining('create index'),
            expect.stringContaining('create index'),
          ],
        }),
      ])
      const first = await api.post('/tags', { tag: { name: 'a' } }, key('a'))
      expectReplay(first, await api.post('/tags', { tag: { name: 'a' } }, key('a')))
      expect(await router.plan()).toEqual([])
      await router.close()
      const without = service(store(), [Tag]).router
      expect(await without.plan()).toEqual([])
      expect((await without.prune({ drops: false }))?.length).toBe(0)
      await without.close()
    },
  )

  it('belongs to the caller that an authenticator gives, whatever its token is', async () => {
    const router = accessRouter(memory(), rest(), { idempotency: true })
    await loadAccessWorld(router)
    const api = client(router)
    const create = (token: string) =>
      api.post('/talks', { talk: { title: 'New' } }, { ...key('a'), ...as(token), cookie: token })
    const first = await create('ann:speaker')
    expect(first.status, first.text).toBe(201)
    expectReplay(first, await create('ann:speaker'))
    expect((await create('bob:speaker')).headers.get('idempotency-replayed')).toBeNull()
  })
})

it('a repetition may have a new token in the query, and nothing else', async () => {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    idempotency: true,
    security: {
      callerSchema: z.object({ id: z.string() }),
      authentication: [
        {
          name: 'token',
          scheme: { type: 'apiKey', in: 'query', name: 'token' },
          authenticate: ({ query }) => {
            const id = new URLSearchParams(query).get('token')?.split('-')[0]
            return id === undefined ? undefined : { caller: { id } }
          },
        },
      ],
    },
  })
  router.prepare(Tag)
  const create = async (query: string) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': '"k"' }
    const body = JSON.stringify({ tag: { name: 'new' } })
    const init = { method: 'POST', headers, body }
    return router.handle(new Request(`http://localhost/tags${query}`, init))
  }
  expect((await create('?token=ada-1')).status).toBe(201)
  for (const query of ['?token=ada-2', '?t%6Fken=ada-3&', '?&token=ada-4']) {
    const again = await create(query)
    expect([again.status, again.headers.get('idempotency-replayed')], query).toEqual([201, 'true'])
  }
  expect((await create('?token=ada-2&fields[tags]=name')).status).toBe(422)
})
