import { createRouter, field, type Middleware, model, type RouterOptions } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { limit } from 'resourcery/limits'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { accessRouter, as, Caller, loadAccessWorld, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Note extends model('note', {
  text: z.string().refine(async (text) => text !== 'refused', 'it is refused'),
  code: field(z.string().optional(), { unique: true }),
}) {}

class Member extends model('member', {
  owner: z.string(),
  email: field(z.string().optional(), { unique: true }),
}) {}

const csv = { 'content-type': 'text/csv' }
const policy = rest({ csv: true, jsonLines: true })

/** Number, status and id or error code of each line. */
const outcomesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { line: number, status, id, errors } = JSON.parse(line)
      return [number, status, id ?? errors?.[0].code]
    })

describe.each(stores)('Lines and the rules of one item, on $name', ({ make }) => {
  const talks = async () => {
    const router = accessRouter(await make(), policy)
    await loadAccessWorld(router)
    return client(router)
  }
  const notes = async (middleware: Middleware<Note> = {}, options: Partial<RouterOptions> = {}) => {
    const router = createRouter({ ...options, policy, store: await make() })
    router.prepare(Note).use(middleware)
    return client(router)
  }

  it('refuses a caller who may not create an item, as a request with one item does', async () => {
    const api = await talks()
    const many = await api.post('/talks', 'id,title\nt9,Nine', csv)
    const single = await api.post('/talks', { talk: { id: 't9', title: 'Nine' } })
    expect([many.status, many.body]).toEqual([single.status, single.body])
    expect(many.status).toBe(401)
  })

  it('checks the access rules of each line and of its members', async () => {
    const api = await talks()
    const body = [
      '{"id":"t8","title":"Eight"}',
      '{"id":"t9","title":"Nine","status":"accepted"}',
      '{"id":"t7","title":"Seven","speaker":"ann"}',
    ].join('\n')
    const headers = { 'content-type': 'application/jsonl', ...as('bob') }
    const { text } = await api.post('/talks', body, headers)
    const single = await api.post(
      '/talks',
      { talk: { id: 't9', title: 'Nine', status: 'accepted' } },
      as('bob'),
    )
    const other = await api.post(
      '/talks',
      { talk: { id: 't7', title: 'Seven', speaker: 'ann' } },
      as('bob'),
    )
    expect(outcomesOf(text)).toEqual([
      [1, 201, 't8'],
      [2, single.status, single.errors[0]?.code],
      [3, other.status, other.errors[0]?.code],
    ])
    expect([single.status, other.status]).toEqual([403, 403])
  })

  it('changes no item that the caller may not change, and finds none that it may not read', async () => {
    const api = await talks()
    await api.post('/talks', { talk: { id: 'own', title: 'Own' } }, as('bob'))
    await api.post('/talks', { talk: { id: 'draft', title: 'Draft' } }, as('ann'))
    const headers = { ...csv, ...as('bob'), prefer: 'resolution=merge-duplicates' }
    const { text } = await api.post('/talks', 'id,title\nown,Mine\nt1,Mine\ndraft,Mine', headers)
    const patched = await api.patch('/talks/t1', { talk: { title: 'Mine' } }, as('bob'))
    expect(outcomesOf(text)).toEqual([
      [2, 200, 'own'],
      [3, patched.status, patched.errors[0]?.code],
      [4, 409, 'already-exists'],
    ])
    expect((await api.get('/talks/draft', as('ann'))).at('/talk/title')).toBe('Draft')
  })

  it.each([
    { form: rest, mediaType: 'application/json' },
    { form: jsonApi, mediaType: 'application/vnd.api+json' },
  ])(
    'finds no item by a value that the caller may not read, under $form.name',
    async ({ form, mediaType }) => {
      const router = createRouter({
        policy: form({ csv: true }),
        store: await make(),
        security: { authentication: [token], callerSchema: Caller },
      })
      router.prepare(Member).access(({ item, caller, anyone, signedIn }) => ({
        read: anyone,
        create: signedIn,
        update: signedIn,
        fields: {
          email: { read: item.owner.equal(caller.id) },
        },
      }))
      await router.load(Member, [{ id: 'm', owner: 'ann', email: 'a@x' }])
      const api = client(router, 'http://localhost', mediaType)
      const merge = async (record: string, user: string, prefer: string) => {
        const headers = { ...csv, ...as(user), prefer: `resolution=merge-duplicates${prefer}` }
        return (await api.post('/members', `owner,email\n${record}`, headers)).text
      }
      for (const prefer of [', tx=rollback', '']) {
        expect(outcomesOf(await merge('bob,a@x', 'bob', prefer))).toEqual([[2, 409, 'value-taken']])
        expect(await merge('bob,a@x', 'bob', `${prefer}, handling=strict`)).toContain('value-taken')
        expect(outcomesOf(await merge('ann,a@x', 'ann', prefer))).toEqual([[2, 200, 'm']])
      }
    },
  )

  it('runs hooks and asynchronous schemas for each line, and none after a commit undone', async () => {
    const committed: (string | undefined)[] = []
    const api = await notes(
      {
        write: {
          before: ({ next }) => {
            if (next?.text === 'broken') throw new TypeError('A mistake in a hook.')
          },
          afterCommit: ({ item }) => {
            committed.push(item?.text)
          },
        },
      },
      { onError: () => {} },
    )
    const body = 'id,text\na,one\nb,refused\nc,broken\nd,two'
    const expected = [
      [2, 201, 'a'],
      [3, 422, 'invalid-member'],
      [4, 500, 'internal-error'],
      [5, 201, 'd'],
    ]
    const undone = await api.post('/notes', body, { ...csv, prefer: 'tx=rollback' })
    expect(outcomesOf(undone.text)).toEqual(expected)
    expect(committed).toEqual([])
    const { text } = await api.post('/notes', body, csv)
    expect(outcomesOf(text)).toEqual(expected)
    expect(committed).toEqual(['one', 'two'])
  })

  it('lets one of several lines have a unique value', async () => {
    const api = await notes()
    const { text } = await api.post('/notes', 'id,text,code\na,x,1\nb,x,1\nc,x,2', csv)
    expect(outcomesOf(text)).toEqual([
      [2, 201, 'a'],
      [3, 409, 'value-taken'],
      [4, 201, 'c'],
    ])
  })

  it('refuses a line that is too long, and goes on with the next one', async () => {
    const api = await notes({}, { limits: { maxBodyBytes: 100 } })
    const { text } = await api.post('/notes', `id,text\na,${'x'.repeat(100)}\nb,x`, csv)
    expect(outcomesOf(text)).toEqual([
      [2, 413, 'body-too-large'],
      [3, 201, 'b'],
    ])
  })

  it('bounds what it creates all or none', async () => {
    const api = await notes({}, { limits: { maxStrictLines: 2, maxStrictBytes: 50 } })
    const strict = { ...csv, prefer: 'handling=strict' }
    expect(await api.post('/notes', 'text\na\nb\nc', strict)).toMatchObject({
      status: 400,
      errors: [{ code: 'limit-exceeded', meta: { limit: 2 } }],
    })
    expect(await api.post('/notes', `text\n${'x'.repeat(60)}`, strict)).toMatchObject({
      status: 413,
      errors: [{ code: 'body-too-large', meta: { limit: 50 } }],
    })
  })

  it('says after which line the body broke', async () => {
    const router = createRouter({ policy, store: await make() })
    router.prepare(Note)
    const lines = Array.from({ length: 150 }, (_, index) => `n${index},x\n`)
    let isSent = false
    const body = new ReadableStream({
      pull(controller) {
        if (isSent) controller.error(new Error('The connection is closed.'))
        else controller.enqueue(new TextEncoder().encode(`id,text\n${lines.join('')}`))
        isSent = true
      },
    })
    const init = { method: 'POST', headers: csv, body, duplex: 'half' as const }
    const response = await router.handle(new Request('http://localhost/notes', init))
    const outcomes = outcomesOf(await response.text())
    expect(outcomes).toHaveLength(101)
    expect(outcomes.at(-1)).toEqual([102, 400, 'malformed-request'])
  })

  it('carries out no lines that nobody reads results of', async () => {
    const router = createRouter({ policy, store: await make() })
    router.prepare(Note)
    let chunks = 0
    const body = new ReadableStream({
      pull(controller) {
        const lines = Array.from({ length: 100 }, (_, index) => `n${chunks}-${index},x\n`)
        controller.enqueue(
          new TextEncoder().encode((chunks++ === 0 ? 'id,text\n' : '') + lines.join('')),
        )
      },
    })
    const init = { method: 'POST', headers: csv, body, duplex: 'half' as const }
    const response = await router.handle(new Request('http://localhost/notes', init))
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(chunks).toBeLessThan(10)
    const { body: list } = await client(router).get('/notes?page[size]=1&withCount=true')
    expect(list).toMatchObject({ meta: { page: { total: expect.any(Number) } } })
    const { total } = (list as { meta: { page: { total: number } } }).meta.page
    expect(total % 100).toBe(0)
    expect(total).toBeLessThan(1_000)
  })
})

it('Lines are refused by one message where keys are required, which they cannot have', async () => {
  const router = createRouter({ policy, store: memory(), idempotency: { required: ['create'] } })
  router.prepare(Note)
  const api = client(router)
  for (const key of [{}, { 'idempotency-key': 'x' }])
    expect(await api.post('/notes', 'id,text\na,x', { ...csv, ...key })).toMatchObject({
      status: 400,
      errors: [
        { code: 'idempotency-key-required', detail: expect.stringContaining('of its own.') },
      ],
    })
})

it('A rate limit counts lines that cannot be read too', async () => {
  const router = createRouter({ policy, store: memory() })
  router.use(limit({ points: 4, seconds: 60, by: ({ request }) => request.headers.from }))
  router.prepare(Note)
  const api = client(router)
  const body = 'id,text\na,x\nb\nc,x\nd\ne,x\nf'
  const lenient = await api.post('/notes', body, { ...csv, from: 'a' })
  expect(outcomesOf(lenient.text)).toEqual([
    [2, 201, 'a'],
    [3, 400, 'malformed-csv'],
    [4, 201, 'c'],
    [5, 429, 'too-many-requests'],
  ])
  const strict = { ...csv, from: 'b', prefer: 'handling=strict' }
  expect(await api.post('/notes', 'id,text\na\nb\nc\nd', strict)).toMatchObject({
    status: 429,
    errors: [{ code: 'too-many-requests' }],
  })
})

it('A rate limit counts each line, and ends the response at the first that it refuses', async () => {
  const router = createRouter({ policy, store: memory() })
  router.use(limit({ points: 4, seconds: 60, by: () => 'anybody' }))
  router.prepare(Note)
  const body = 'id,text\na,x\nb,x\nc,x\nd,x\ne,x'
  const { text } = await client(router).post('/notes', body, csv)
  expect(outcomesOf(text)).toEqual([
    [2, 201, 'a'],
    [3, 201, 'b'],
    [4, 201, 'c'],
    [5, 429, 'too-many-requests'],
  ])
})
