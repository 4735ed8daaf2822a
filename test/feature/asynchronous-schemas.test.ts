import { setTimeout as wait } from 'node:timers/promises'
import { Action, createRouter, hash, model, type Router, type Store, toMany } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../spec/support/document-client.ts'
import { expectDone, expectError } from '../spec/support/expecting.ts'
import { stores } from '../support/stores.ts'

const never = new Promise<void>(() => {})

/** The promise that the schema awaits for the value 'gated'. */
let gate = Promise.resolve()
let validated: string[] = []
let calls = 0

const checked = z.string().refine(async (value) => {
  validated.push(value)
  await (value === 'stuck' ? never : value === 'gated' ? gate : wait(1))
  return value !== 'taken'
}, 'it is taken')

class Account extends model(
  'account',
  {
    name: checked,
    nick: checked.optional(),
    note: z.string().default(''),
    friends: toMany('account'),
    hash: hash(),
  },
  { ids: 'client', upsert: true },
) {
  @Action({ input: z.object({ to: z.string() }), output: z.object({ name: checked }) })
  rename({ to }: { to: string }): { name: string } {
    calls++
    this.name = to
    return { name: to === 'odd' ? 'stuck' : 'fine' }
  }
}
const Note = model('note', { text: z.string() }, { ids: 'client' })

const account = (id: string, attributes: object) => ({ data: { type: 'accounts', id, attributes } })
const note = (id: string) => ({ data: { type: 'notes', id, attributes: { text: 'T' } } })

describe.each(stores)('Models with asynchronous schemas, on $name', ({ make }) => {
  let api: Client
  let router: Router
  let reportedErrors: unknown[]

  beforeEach(async () => {
    gate = Promise.resolve()
    reportedErrors = []
    calls = 0
    router = createRouter({
      policy: jsonApi(),
      basePath: '/api',
      store: await make(),
      timeouts: { validationMs: 200 },
      onError: (error) => reportedErrors.push(error),
    })
    router.prepare(Account)
    router.prepare(Note)
    await router.load(Account, [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B' },
    ])
    api = client(router)
    validated = []
  })

  const names = async () =>
    (await api.get('/api/accounts?sort=id')).many.map((entry) => entry.attributes?.name)

  it('are created, updated and replaced with the values that the schemas accept, and with no others', async () => {
    expect((await api.post('/api/accounts', account('c', { name: 'C' }))).status).toBe(201)
    expectError(await api.post('/api/accounts', account('d', { name: 'taken' })), 422, {
      pointer: '/data/attributes/name',
    })
    expectDone(await api.patch('/api/accounts/a', account('a', { name: 'A2', nick: 'N' })))
    expectError(
      await api.patch('/api/accounts/a', account('a', { name: 'taken', nick: 'taken' })),
      422,
      {
        pointer: '/data/attributes/nick',
      },
    )
    expectDone(await api.patch('/api/accounts/a', account('a', { nick: null })))
    expectDone(
      await api.patch('/api/accounts/b/relationships/friends', {
        data: [{ type: 'accounts', id: 'a' }],
      }),
    )
    expect(await names()).toEqual(['A2', 'B', 'C'])
    expect(reportedErrors).toEqual([])
  })

  it('are changed by batches, in which each operation sees the ones before it', async () => {
    const done = await api.operate([
      { op: 'add', ...account('c', { name: 'C' }) },
      { op: 'update', ...account('c', { name: 'C2' }) },
      { op: 'update', ...account('a', { nick: 'N' }) },
    ])
    expect(done.status, done.text).toBe(200)
    expect(await names()).toEqual(['A', 'B', 'C2'])
    const refused = await api.operate([
      { op: 'update', ...account('a', { name: 'A2' }) },
      { op: 'update', ...account('b', { name: 'taken' }) },
    ])
    expectError(refused, 422, { pointer: '/atomic:operations/1/data/attributes/name' })
    expect(await names()).toEqual(['A', 'B', 'C2'])
  })

  it('start a batch again once for all asynchronous schemas of its operations', async () => {
    const calls: unknown[] = []
    const store = await make()
    const counted = createRouter({
      policy: jsonApi(),
      store: {
        ...store,
        write: ((work, caller) => {
          calls.push(caller)
          return store.write(work, caller)
        }) as Store['write'],
      },
    })
    counted.prepare(Account)
    const operations = Array.from({ length: 30 }, (_, n) => ({
      op: 'add',
      ...account(`n-${n}`, { name: `N${n}` }),
    }))
    const done = await client(counted).operate(operations, {}, '/operations')
    expect(done.status, done.text).toBe(200)
    expect(calls.length).toBeLessThanOrEqual(2)
  })

  it('block no other write while a schema does not settle, and respond with 503 after the timeout', async () => {
    const stuck = [
      api.post('/api/accounts', account('c', { name: 'stuck' })),
      api.patch('/api/accounts/a', account('a', { name: 'stuck' })),
      api.operate([{ op: 'update', ...account('b', { name: 'stuck' }) }]),
      api.post('/api/accounts/b/rename', { meta: { to: 'odd' } }),
    ]
    for (const id of ['n1', 'n2']) expect((await api.post('/api/notes', note(id))).status).toBe(201)
    expectDone(await api.patch('/api/accounts/b', account('b', { note: 'meanwhile' })))
    for (const response of await Promise.all(stuck)) {
      expect(response.status, response.text).toBe(503)
      expect(response.errors[0]).toMatchObject({ code: 'validation-timeout' })
      expect(response.headers.get('retry-after')).toBe('1')
    }
    expect(reportedErrors).toHaveLength(stuck.length)
    expect(await names()).toEqual(['A', 'B'])
  })

  it('lose no change that is made between the validation and the write', async () => {
    let open = () => {}
    gate = new Promise((resolve) => {
      open = resolve
    })
    const { headers } = await api.get('/api/accounts/a')
    const etag = headers.get('etag')!
    const merged = api.patch('/api/accounts/a', account('a', { name: 'gated' }))
    const guarded = api.patch('/api/accounts/a', account('a', { name: 'gated' }), {
      'if-match': etag,
    })
    await wait(20)
    expectDone(await api.patch('/api/accounts/a', account('a', { note: 'meanwhile' })))
    open()
    expectDone(await merged)
    expectError(await guarded, 412)
    expect((await api.get('/api/accounts/a')).one.attributes).toMatchObject({
      name: 'gated',
      note: 'meanwhile',
    })
  })

  it('are changed by actions that run once, however long their schemas take', async () => {
    expectDone(await api.post('/api/accounts/a/rename', { meta: { to: 'A2' } }))
    expectError(await api.post('/api/accounts/a/rename', { meta: { to: 'taken' } }), 422)
    expect(calls).toBe(2)
    expect(await names()).toEqual(['A2', 'B'])
  })

  it('validate no value twice', async () => {
    expectDone(await api.patch('/api/accounts/a', account('a', { name: 'A2', nick: 'N' })))
    // Zod calls the refinement once synchronously, and once asynchronously.
    expect(validated.filter((value) => value === 'A2').length).toBeLessThanOrEqual(2)
  })
})

it('A validation timeout that is too large for a timer is refused at registration', async () => {
  const { memory } = await import('resourcery/memory')
  for (const validationMs of [0, -1, Number.NaN, 1.5, 2 ** 31])
    expect(() =>
      createRouter({ policy: jsonApi(), store: memory(), timeouts: { validationMs } }),
    ).toThrow('validationMs')
})
