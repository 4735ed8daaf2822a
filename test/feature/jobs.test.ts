import {
  createRouter,
  hash,
  type Middleware,
  model,
  type RouterOptions,
  refuse,
  respond,
  type SecurityOptions,
} from 'resourcery'
import { type JobOptions, jobs } from 'resourcery/jobs'
import { jsonApi } from 'resourcery/json-api'
import { limit } from 'resourcery/limits'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { Store } from 'resourcery/store'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { jobRows } from '../../src/jobs/job-rows.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Book = model('book', {
  title: z.string().min(1),
  copies: z.int().default(0),
  hash: hash(),
})

const callerSchema = z.object({ id: z.string() })
type Caller = z.infer<typeof callerSchema>

const security: SecurityOptions<typeof callerSchema> = {
  authentication: [
    {
      name: 'names',
      scheme: { type: 'http', scheme: 'bearer' },
      authenticate: ({ headers: { authorization } }) =>
        authorization ? { caller: { id: authorization.slice(7) } } : undefined,
    },
    {
      name: 'key',
      scheme: { type: 'apiKey', in: 'query', name: 'key' },
      authenticate: () => undefined,
    },
  ],
  callerSchema,
}
const emil = { authorization: 'Bearer emil' }
const anna = { authorization: 'Bearer anna' }
const later = { ...emil, prefer: 'respond-async' }
const csvLater = { ...later, 'content-type': 'text/csv' }

interface World {
  readonly options?: Partial<JobOptions<Caller>>
  readonly routerOptions?: Partial<RouterOptions<typeof callerSchema>>
  /** What the action waits for. */
  readonly act?: () => Promise<void> | void
  readonly beforeCreate?: () => void
  /** Runs before actions. */
  readonly hook?: NonNullable<Middleware['request']>['action']
  /** Is the router only used by code, which never opens it? Default: no. */
  readonly isScript?: boolean
  /** How many lines a second one caller may send. */
  readonly pointsOfLines?: number
}

async function open(store: Store, world: World = {}) {
  const { options, routerOptions, act, beforeCreate, hook, isScript, pointsOfLines } = world
  const router = createRouter({
    policy: rest({ csv: true, jsonLines: true }),
    store,
    security,
    ...routerOptions,
  })
  const onCreate: Middleware = {
    write: { before: () => beforeCreate?.() },
    request: { action: (context) => hook?.(context) },
    declares: { responses: { 418: { content: { 'text/plain': z.string() } } } },
  }
  const perSecond = { seconds: 1, by: () => 'all' }
  router
    .prepare(Book)
    .use(pointsOfLines === undefined ? onCreate : limit({ ...perSecond, points: pointsOfLines }))
    .access<'restock' | 'check'>(({ caller, anyone }) => ({
      read: anyone,
      create: caller.id.notEqual('guest'),
      update: anyone,
      delete: anyone,
      actions: { restock: caller.id.notEqual('guest'), check: anyone },
    }))
    .itemOperation(
      'restock',
      async ({ item, input }) => {
        await act?.()
        if (input.copies > 1_000) refuse('conflict', 'There is no space for so many copies.')
        item.copies += input.copies
      },
      { input: z.object({ copies: z.int() }), async: true },
    )
    .itemOperation('check', ({ item }) => ({ copies: item.copies }), {
      output: z.object({ copies: z.int() }),
      async: true,
    })
  jobs(router, { callerOf: (id) => ({ id }), ...options })
  if (!isScript) await router.open()
  onTestFinished(() => router.close())
  const api = client(router)
  const jobAt = async (at: string | null) =>
    (await api.get(String(at), emil)).at('/job') as Record<string, unknown>
  const ended = (at: string | null) =>
    vi.waitFor(
      async () => {
        const job = await jobAt(at)
        expect(['done', 'failed']).toContain(job.state)
        return job
      },
      { timeout: 20_000, interval: 20 },
    )
  return { router, api, ended }
}

const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const numbered = (count: number) =>
  ['id,title', ...Array.from({ length: count }, (_, index) => `b${index},Title`)].join('\n')

const codes = ({ errors }: { readonly errors: readonly { readonly code: string }[] }) =>
  errors.map(({ code }) => code)

const location = ({ headers }: { readonly headers: Headers }) => headers.get('location')

describe.each(stores)('Jobs, on $name', ({ make, makeData }) => {
  it('create the items of a body after the response', async () => {
    const { api, router, ended } = await open(await make())
    const accepted = await api.post('/books', 'id,title\na,A\nb,\nc,C\n', csvLater)
    expect(accepted.status).toBe(202)
    expect(accepted.headers.get('content-location')).toBe(location(accepted))
    expect(accepted.headers.get('preference-applied')).toBe('respond-async')
    expect(accepted.headers.get('retry-after')).toBe('1')
    expect(accepted.at('/job')).toMatchObject({ request: 'POST /books', owner: 'emil' })
    expect(await ended(location(accepted))).toMatchObject({
      state: 'done',
      linesDone: 3,
      result: { created: 2, updated: 0, failed: 1 },
      errors: [{ line: 3, status: 422, errors: [{ code: 'invalid-member' }] }],
    })
    expect(await router.items(Book).count()).toBe(2)
  })

  it('run an action after the response, and keep the body of its response', async () => {
    const { api, ended } = await open(await make())
    await api.post('/books', { book: { id: 'a', title: 'A' } }, emil)
    const accepted = await api.post('/books/a/restock', { copies: 5 }, later)
    expect(accepted.status).toBe(202)
    expect(await ended(location(accepted))).toMatchObject({
      state: 'done',
      linesDone: null,
      result: { book: { id: 'a', copies: 5 } },
      errors: [],
    })
    const checked = await api.post('/books/a/check', undefined, later)
    expect(await ended(location(checked))).toMatchObject({ result: { copies: 5 } })
  })

  it('keep why an action was refused', async () => {
    const { api, ended } = await open(await make())
    await api.post('/books', { book: { id: 'a', title: 'A' } }, emil)
    const refused = await api.post('/books/a/restock', { copies: 5_000 }, later)
    expect(await ended(location(refused))).toMatchObject({
      state: 'failed',
      result: null,
      errors: [{ status: 409, errors: [{ code: 'conflict' }] }],
    })
  })

  it('check the version that an action needs before the response, and again when they run', async () => {
    const wait = gate()
    const { api, ended } = await open(await make(), {
      act: () => wait.opened,
      routerOptions: { requireMatch: true },
    })
    const created = await api.post('/books', { book: { id: 'a', title: 'A' } }, emil)
    const ifMatch = String(created.headers.get('etag'))
    const restock = (headers: object) =>
      api.post('/books/a/restock', { copies: 5 }, { ...later, ...headers })
    const missing = await restock({})
    expect([missing.status, codes(missing)]).toEqual([428, ['precondition-required']])
    const other = await restock({ 'if-match': '"x"' })
    expect([other.status, codes(other)]).toEqual([412, ['precondition-failed']])
    const invalid = await api.post('/books/a/restock', { copies: 'x' }, later)
    expect([invalid.status, codes(invalid)]).toEqual([422, ['invalid-input']])
    expect((await api.get('/jobs', emil)).at('/jobs')).toEqual([])
    const both = [await restock({ 'if-match': ifMatch }), await restock({ 'if-match': ifMatch })]
    expect(both.map(({ status }) => status)).toEqual([202, 202])
    wait.open()
    const jobs = await Promise.all(both.map((accepted) => ended(location(accepted))))
    expect(jobs.map(({ state }) => state)).toEqual(['done', 'failed'])
    expect(jobs[1]).toMatchObject({ errors: [{ status: 412 }] })
  })

  it('are refused at once where the item is missing, or its action is not for the caller', async () => {
    const { api } = await open(await make())
    await api.post('/books', { book: { id: 'a', title: 'A' } }, emil)
    const missing = await api.post('/books/none/restock', { copies: 5 }, later)
    expect(missing.status).toBe(404)
    expect(codes(missing)).toEqual(['not-found'])
    const guest = { ...later, authorization: 'Bearer guest' }
    const forbidden = await api.post('/books/a/restock', { copies: 5 }, guest)
    expect(forbidden.status).toBe(403)
    expect(codes(forbidden)).toEqual(['forbidden'])
    expect((await api.get('/jobs', emil)).at('/jobs')).toEqual([])
    expect((await api.get('/jobs', guest)).at('/jobs')).toEqual([])
  })

  it('fail where their item is deleted before they run', async () => {
    const wait = gate()
    const { api, ended } = await open(await make(), { act: () => wait.opened })
    for (const id of ['a', 'b']) await api.post('/books', { book: { id, title: id } }, emil)
    const first = await api.post('/books/a/restock', { copies: 5 }, later)
    const second = await api.post('/books/b/restock', { copies: 5 }, later)
    expect(second.status).toBe(202)
    expect((await api.delete('/books/b', emil)).status).toBe(204)
    wait.open()
    expect(await ended(location(first))).toMatchObject({ state: 'done' })
    expect(await ended(location(second))).toMatchObject({
      state: 'failed',
      errors: [{ status: 404, errors: [{ code: 'not-found' }] }],
    })
  })

  it('create all items of a strict body or none, and change items that exist', async () => {
    const { api, router, ended } = await open(await make())
    const prefer = 'respond-async, handling=strict, resolution=merge-duplicates'
    const send = (text: string) => api.post('/books', text, { ...csvLater, prefer })
    const refused = await send('id,title\na,A\nb,\n')
    expect(refused.headers.get('preference-applied')).toBe(prefer)
    expect(await ended(location(refused))).toMatchObject({
      state: 'failed',
      linesDone: 0,
      result: null,
      errors: [{ status: 422, errors: [{ meta: { line: 3 } }] }],
    })
    expect(await router.items(Book).count()).toBe(0)
    await router.items(Book).create({ id: 'a', title: 'old' })
    expect(await ended(location(await send('id,title\na,A\nb,B\n')))).toMatchObject({
      state: 'done',
      result: { created: 1, updated: 1, failed: 0 },
    })
    expect((await router.items(Book).get('a'))?.title).toBe('A')
  })

  it('undo everything where the request prefers it', async () => {
    const { api, router, ended } = await open(await make())
    const prefer = 'respond-async, tx=rollback'
    const accepted = await api.post('/books', numbered(250), { ...csvLater, prefer })
    expect(await ended(location(accepted))).toMatchObject({
      state: 'done',
      linesDone: 250,
      result: { created: 250, updated: 0, failed: 0 },
    })
    expect(await router.items(Book).count()).toBe(0)
  })

  it('keep the first hundred lines that fail', async () => {
    const { api, ended } = await open(await make())
    const text = `id,title\n${Array.from({ length: 150 }, (_, index) => `b${index},`).join('\n')}`
    const job = await ended(location(await api.post('/books', text, csvLater)))
    expect(job).toMatchObject({ state: 'done', result: { created: 0, failed: 150 } })
    expect(job.errors).toHaveLength(100)
  })

  it('belong to the caller who has sent the request', async () => {
    const wait = gate()
    const { api, ended } = await open(await make(), { act: () => wait.opened })
    await api.post('/books', { book: { id: 'a', title: 'A' } }, emil)
    const at = String(location(await api.post('/books/a/restock', { copies: 5 }, later)))
    const pending = await api.get(at, emil)
    expect(pending.headers.get('retry-after')).toBe('1')
    for (const [headers, status] of [
      [anna, 404],
      [{}, 401],
    ] as const) {
      const foreign = await api.get(at, headers)
      expect(foreign.status).toBe(status)
      expect(foreign.headers.get('retry-after')).toBeNull()
      expect((await api.delete(at, headers)).status).toBe(status)
    }
    expect((await api.get('/jobs', anna)).at('/jobs')).toEqual([])
    wait.open()
    await ended(at)
    expect((await api.get(at, emil)).headers.get('retry-after')).toBeNull()
    expect((await api.get('/jobs', emil)).at('/jobs')).toHaveLength(1)
  })

  it('can be created and changed by nobody, and are in the document', async () => {
    const { api, router } = await open(await make())
    const job = { state: 'done' }
    expect((await api.post('/jobs', { job }, emil)).status).toBe(403)
    const { paths = {} } = router.toOpenApi()
    expect(Object.keys(paths['/jobs'] ?? {})).not.toContain('post')
    expect(Object.keys(paths['/jobs/{id}'] ?? {})).not.toContain('patch')
    for (const path of ['/books', '/books/{id}/restock']) {
      const { responses, parameters } = (paths[path]?.post ?? {}) as Record<string, object>
      expect(Object.keys(responses ?? {})).toContain('202')
      expect(JSON.stringify(parameters)).toContain('Prefer')
    }
  })

  it('are not made of requests that are carried out at once', async () => {
    const { api, router } = await open(await make(), { routerOptions: { idempotency: true } })
    expect((await api.post('/books', { book: { id: 'a', title: 'A' } }, later)).status).toBe(201)
    const anonymous = { prefer: 'respond-async' }
    expect((await api.post('/books/a/check', undefined, anonymous)).status).toBe(200)
    const keyed = { ...later, 'idempotency-key': 'k1' }
    expect((await api.post('/books/a/restock', { copies: 1 }, keyed)).status).toBe(200)
    expect((await api.patch('/books/a', { book: { title: 'B' } }, later)).status).toBe(200)
    expect((await router.items(Book).get('a'))?.copies).toBe(1)
    expect((await api.get('/jobs', emil)).at('/jobs')).toEqual([])
  })

  it('are refused at once where the form of the request is wrong', async () => {
    const { api } = await open(await make(), {
      options: { maxBodyBytes: 200_000, maxPerOwner: 2 },
      routerOptions: { limits: { maxStrictBytes: 160_000 } },
    })
    const post = (path: string, body: unknown, headers: object) =>
      api.post(path, body, { ...later, ...headers } as Record<string, string>)
    const text = { 'content-type': 'text/csv' }
    const wrong = { ...text, prefer: 'respond-async, tx=never' }
    expect(codes(await post('/books', 'id\n', wrong))).toEqual(['invalid-preference'])
    expect(codes(await post('/books?fields=id', 'id\n', text))).toEqual(['unknown-parameter'])
    const guest = { ...text, authorization: 'Bearer guest' }
    expect(codes(await post('/books', 'id\n', guest))).toEqual(['forbidden'])
    expect((await post('/books/a/restock', '{', {})).status).toBe(400)
    expect(codes(await post('/books/a/restock?x=1', {}, {}))).toEqual(['unknown-parameter'])
    for (const [body, code] of [
      ['id,titel\na,A\n', 'unknown-column'],
      ['id,id', 'malformed-csv'],
      ['\n\n', 'empty-body'],
    ] as const) {
      const refused = await post('/books', body, text)
      expect(refused.status).toBe(400)
      expect(codes(refused)).toEqual([code])
    }
    const strict = { ...text, prefer: 'respond-async, handling=strict' }
    for (const [body, status, code] of [
      [numbered(1_001), 400, 'limit-exceeded'],
      [`id,title\na,${'x'.repeat(150_000)}\nb,${'x'.repeat(30_000)}`, 413, 'body-too-large'],
      ['id,titel\na,A\n', 400, 'unknown-column'],
      ['\n\n', 400, 'empty-body'],
    ] as const) {
      const refused = await post('/books', body, strict)
      expect([refused.status, codes(refused)]).toEqual([status, [code]])
    }
    const large = await post('/books', `id,title\na,${'x'.repeat(300_000)}`, text)
    expect(codes(large)).toEqual(['body-too-large'])
    expect((await api.get('/jobs', emil)).at('/jobs')).toEqual([])
  })

  it('are bounded for each caller', async () => {
    const { api } = await open(await make(), { options: { atOnce: 0, maxPerOwner: 2 } })
    const all = await Promise.all(
      Array.from({ length: 5 }, () => api.post('/books', numbered(1), csvLater)),
    )
    expect(all.map(({ status }) => status).toSorted()).toEqual([202, 202, 429, 429, 429])
    expect(
      all
        .filter(({ status }) => status === 429)
        .flatMap(codes)
        .slice(0, 1),
    ).toEqual(['too-many-requests'])
    const others = { ...csvLater, ...anna }
    expect((await api.post('/books', numbered(1), others)).status).toBe(202)
    const [first] = all.filter(({ status }) => status === 202)
    expect((await api.delete(String(location(first!)), emil)).status).toBe(204)
    expect((await api.post('/books', numbered(1), csvLater)).status).toBe(202)
  })

  it('end when they are deleted', async () => {
    const [reached, wait] = [gate(), gate()]
    const act = () => {
      reached.open()
      return wait.opened
    }
    const { api, router } = await open(await make(), { act })
    await api.post('/books', { book: { id: 'a', title: 'A' } }, emil)
    const at = String(location(await api.post('/books/a/restock', { copies: 5 }, later)))
    await reached.opened
    expect((await api.delete(at, emil)).status).toBe(204)
    wait.open()
    // The next job begins once the process has left the first one.
    const next = await api.post('/books', numbered(1), csvLater)
    await vi.waitFor(async () =>
      expect((await api.get(String(location(next)), emil)).at('/job/state')).toBe('done'),
    )
    expect((await router.items(Book).get('a'))?.copies).toBe(0)
    expect((await api.get(at, emil)).status).toBe(404)
  })

  it('fail where their caller is not known any more, or has lost the right', async () => {
    const callers = new Map<string, Caller | undefined>([['anna', { id: 'guest' }]])
    const { api, router, ended } = await open(await make(), {
      options: { callerOf: (id) => callers.get(id), access: ({ anyone }) => ({ read: anyone }) },
    })
    const unknown = await api.post('/books', numbered(1), csvLater)
    expect(await ended(location(unknown))).toMatchObject({
      state: 'failed',
      result: null,
      errors: [{ status: 403, errors: [{ code: 'forbidden' }] }],
    })
    const lost = await api.post('/books', numbered(1), { ...csvLater, ...anna })
    expect(await ended(location(lost))).toMatchObject({ errors: [{ status: 403 }] })
    expect(await router.items(Book).count()).toBe(0)
  })

  it('wait where a limit of requests refuses their lines for a time', async () => {
    const { api, router, ended } = await open(await make(), { pointsOfLines: 120 })
    const job = await ended(location(await api.post('/books', numbered(200), csvLater)))
    expect(job).toMatchObject({ state: 'done', result: { created: 200, failed: 0 } })
    expect(await router.items(Book).count()).toBe(200)
  })

  it('go on in another process after the last lines that are committed', async () => {
    const data = await makeData()
    const reached = gate()
    let written = 0
    const first = await open(data(), {
      beforeCreate: () => {
        if (++written === 450) reached.open()
      },
    })
    const accepted = await first.api.post('/books', `${numbered(1_000)}\nx,\n`, csvLater)
    await reached.opened
    await first.router.close()
    const second = await open(data())
    expect(await second.ended(location(accepted))).toMatchObject({
      state: 'done',
      linesDone: 1_001,
      result: { created: 1_000, updated: 0, failed: 1 },
      errors: [{ line: 1_002, status: 422 }],
    })
    expect(await second.router.items(Book).count()).toBe(1_000)
  })

  it('fail after crashes that a graceful shutdown between them does not forget', async () => {
    const data = await makeData()
    const [reached, wait] = [gate(), gate()]
    const store = data()
    const act = () => {
      reached.open()
      return wait.opened
    }
    const first = await open(store, { act, options: { atOnce: 0 } })
    await first.api.post('/books', { book: { id: 'a', title: 'A' } }, emil)
    const at = location(await first.api.post('/books/a/restock', { copies: 5 }, later))
    const id = String(at).split('/').at(-1)!
    // Four processes crashed while they carried it out.
    await store.write(async (transaction) => {
      await jobRows.change(transaction, id, (row) => ({ ...row, attempts: 4 }))
    })
    await first.router.close()
    const second = await open(data(), { act })
    await reached.opened
    const closed = second.router.close()
    wait.open()
    await closed
    const third = data()
    const { router } = await open(third, { options: { atOnce: 0 } })
    expect(await jobRows.find(third, id)).toMatchObject({ attempts: 4, owner: '' })
    // The fifth one crashed too.
    await third.write(async (transaction) => {
      await jobRows.change(transaction, id, (row) => ({ ...row, attempts: 5 }))
    })
    await router.close()
    const { ended } = await open(data())
    expect(await ended(at)).toMatchObject({ state: 'failed', errors: [{ status: 500 }] })
  })

  it('are done once their action was committed, however many processes have crashed', async () => {
    const data = await makeData()
    const store = data()
    const first = await open(store, { options: { atOnce: 0 } })
    await first.api.post('/books', { book: { id: 'a', title: 'A' } }, emil)
    const at = location(await first.api.post('/books/a/restock', { copies: 5 }, later))
    const id = String(at).split('/').at(-1)!
    await store.write(async (transaction) => {
      await jobRows.change(transaction, id, (row) => ({ ...row, attempts: 5, actedCount: 1 }))
    })
    await first.router.close()
    const { ended } = await open(data())
    expect(await ended(at)).toMatchObject({ state: 'done', result: null })
  })

  it('are not begun by a script that only uses items', async () => {
    const data = await makeData()
    const service = await open(data(), { options: { atOnce: 0 } })
    const accepted = await service.api.post('/books', numbered(3), csvLater)
    await service.router.close()
    const script = await open(data(), { isScript: true })
    for (let reads = 0; reads < 50; reads++) await script.router.items(Book).count()
    await script.router.close()
    const next = await open(data(), { options: { atOnce: 0 } })
    expect((await next.api.get(String(location(accepted)), emil)).at('/job')).toMatchObject({
      state: 'waiting',
      startedAt: null,
    })
    await next.router.close()
    const last = await open(data())
    expect(await last.ended(location(accepted))).toMatchObject({ state: 'done' })
  })

  it('read the results of lines and of hooks, whatever the client accepts', async () => {
    const { api, ended } = await open(await make(), {
      // Text of a hook, once the request has been accepted.
      hook: ({ request: { headers } }) =>
        headers.authorization === undefined
          ? respond(418, { 'content-type': 'text/plain' }, 'short and stout')
          : undefined,
    })
    const accept = { accept: 'application/json' }
    const lines = await api.post('/books', numbered(1), { ...csvLater, ...accept })
    expect(lines.status).toBe(202)
    expect(await ended(location(lines))).toMatchObject({ state: 'done', result: { created: 1 } })
    const action = await api.post('/books/b0/restock', { copies: 1 }, later)
    expect(await ended(location(action))).toMatchObject({
      state: 'failed',
      errors: [{ status: 418, errors: ['short and stout'] }],
    })
  })

  it('keep no credential', async () => {
    const store = await make()
    const { api, router } = await open(store, { options: { atOnce: 0, headers: ['x-language'] } })
    await api.post('/books', { book: { id: 'a', title: 'A' } }, emil)
    const headers = { ...later, cookie: 'session=secret', 'x-language': 'de', 'x-key': 'secret' }
    const path = '/books/a/restock?key=secret&fields[books]=title'
    const sent = await api.post(path, { copies: 1 }, headers)
    expect(sent.errors).toEqual([])
    expect(sent.status).toBe(202)
    const rows: unknown[] = []
    for (const row of (await jobRows.list(store)).values()) rows.push(row)
    expect(JSON.stringify(rows)).not.toMatch(/secret|emil.*emil/)
    expect(rows).toMatchObject([
      { query: 'fields[books]=title', headers: expect.stringContaining('"de"') },
    ])
    await router.close()
  })

  it('keep the shape of JSON:API', async () => {
    const { api, router } = await open(await make(), {
      routerOptions: { policy: jsonApi({ csv: true, jsonLines: true }) },
    })
    const lines = '{"type":"books","id":"a","attributes":{"title":"A"}}\n{"type":"books"}\n'
    const jsonLines = { ...later, 'content-type': 'application/jsonl' }
    const accepted = await api.post('/books', lines, jsonLines)
    expect(accepted.status).toBe(202)
    expect(accepted.headers.get('content-type')).toBe('application/vnd.api+json')
    await vi.waitFor(async () => {
      const job = await api.get(String(location(accepted)), emil)
      expect(job.at('/data/attributes')).toMatchObject({
        state: 'done',
        result: { created: 1, failed: 1 },
        errors: [{ line: 2, errors: [{ status: '422' }] }],
      })
    })
    expect(await router.items(Book).count()).toBe(1)
    const unmet = await api.post(
      '/books/a/restock',
      { meta: { copies: 5 } },
      { ...later, 'content-type': 'application/vnd.api+json', 'if-match': '"x"' },
    )
    expect(unmet.at('/errors/0')).toMatchObject({
      status: '412',
      code: 'precondition-failed',
      source: { header: 'If-Match' },
    })
  })
})

it('runs requests that prefer a response before at once on a router without jobs', async () => {
  const router = createRouter({ policy: rest({ csv: true }), store: memory(), security })
  router.prepare(Book)
  const response = await client(router).post('/books', numbered(1), csvLater)
  expect(response.status).toBe(200)
  expect(JSON.stringify(router.toOpenApi())).not.toContain('respond-async')
})

it('names jobs() where the router has no callers, or a model of the name', () => {
  const clashing = createRouter({ policy: rest(), store: memory(), security })
  jobs(clashing, { callerOf: (id) => ({ id }) })
  clashing.prepare(model('job', { title: z.string() }))
  expect(() => clashing.toOpenApi()).toThrow(
    "Two models have the name 'job', and jobs() adds one of them.",
  )
  const withoutCallers = createRouter({ policy: rest(), store: memory() })
  jobs(withoutCallers, { callerOf: (id) => ({ id }) })
  expect(() => withoutCallers.toOpenApi()).toThrow(
    "The access rules of 'job', which jobs() adds, depend on the caller",
  )
})

it('refuses invalid options of jobs, and a second call', () => {
  const router = createRouter({ policy: rest(), store: memory(), security })
  const call = (options: object) => () => jobs(router, options as never)
  expect(call({ headers: ['Cookie'], atOnce: -1 })).toThrow(/'atOnce'/)
  expect(call({ headers: ['cookie'] })).toThrow(/'callerOf'[\s\S]*'headers'/)
  jobs(router, { callerOf: (id) => ({ id }) })
  expect(call({ callerOf: (id: string) => ({ id }) })).toThrow('twice')
})
