import {
  createRouter,
  type Middleware,
  model,
  type Router,
  refuse,
  stateKey,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { postgres, type SessionHook } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import type { Store } from 'resourcery/store'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'

class Folder extends model('folder', {
  owner: z.string(),
  notes: toMany<Note>('note', { inverse: 'folder' }),
}) {}
class Note extends model('note', {
  owner: z.string(),
  text: z.string(),
  folder: toOne<Folder>('folder', { optional: true, onDelete: 'set-null' }),
}) {}

const user = stateKey<{ id: string }>('user')

/** Trusts a header, as a test may. */
const signIn: Middleware = {
  request: {
    any: ({ request, state }) => {
      const id = request.headers['x-user']
      if (id === undefined) refuse('unauthorized', 'Who are you?')
      state.set(user, { id })
    },
  },
}

const session: SessionHook = (call) => {
  // Opening the store and jobs have the rights of the connection.
  if (!call) return undefined
  return { role: 'app_user', settings: { 'app.user': call.state?.get(user)?.id ?? '' } }
}

describePostgres('row-level security', () => {
  let database: TestDatabase
  let routers: readonly Router[]
  let store: Store

  const run = async (sql: string) => (await sharedServer()).run(sql, [], database.name)

  beforeAll(async () => {
    database = await newDatabase()
    store = postgres(database.url, { session })
    routers = [
      createRouter({ policy: rest(), basePath: '/api', store, changes: true }),
      createRouter({ policy: jsonApi(), basePath: '/json-api', store, changes: true }),
    ]
    for (const router of routers) {
      router.use(signIn)
      router.prepare(Folder)
      router.prepare(Note)
      await router.open()
    }
    await run(`do $$ begin create role app_user; exception when duplicate_object then null; end $$`)
    // The role of a caller may add to the log, and not read it.
    await run('grant insert, select (transaction_id, change_id) on resourcery_changes to app_user')
    await run('grant usage on sequence resourcery_changes_transactions to app_user')
    for (const table of ['folders', 'notes']) {
      await run(`grant select, insert, update, delete on ${table} to app_user`)
      await run(`alter table ${table} enable row level security`)
      await run(
        `create policy own on ${table} to app_user using (owner = current_setting('app.user', true))`,
      )
    }
    await routers[0]!.load(Folder, [
      { id: 'f-ada', owner: 'ada' },
      { id: 'f-bob', owner: 'bob' },
    ])
    await routers[0]!.load(Note, [
      { id: 'a', owner: 'ada', text: "Ada's", folder: 'f-ada' },
      { id: 'b', owner: 'bob', text: "Bob's", folder: 'f-bob' },
    ])
  })
  afterAll(async () => {
    for (const router of routers) await router.close()
    await database.drop()
  })

  async function send(method: string, path: string, as: string, body?: object, type?: string) {
    const router = routers.find(({ basePath }) => path.startsWith(basePath))!
    const response = await router.handle(
      new Request(`http://localhost${path}`, {
        method,
        headers: { 'x-user': as, ...(body && { 'content-type': type ?? 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  it('decides which items the user of a request finds', async () => {
    const list = await send('GET', '/api/notes?include=folder&withCount=true', 'ada')
    expect(JSON.stringify(list.body)).toContain("Ada's")
    expect(JSON.stringify(list.body)).not.toContain('bob')
    expect((await send('GET', '/api/notes/a', 'ada')).status).toBe(200)
    expect((await send('GET', '/api/notes/b', 'ada')).status).toBe(404)
    expect((await send('GET', '/api/notes/b', 'bob')).status).toBe(200)
    expect((await send('GET', '/json-api/folders/f-bob/notes', 'ada')).status).toBe(404)
    const included = await send('GET', '/json-api/folders?include=notes', 'bob')
    expect(JSON.stringify(included.body)).toContain("Bob's")
    expect(JSON.stringify(included.body)).not.toContain('ada')
  })

  it('decides which items the user can write', async () => {
    const text = { note: { text: 'changed' } }
    expect((await send('PATCH', '/api/notes/b', 'ada', text)).status).toBe(404)
    expect((await send('PATCH', '/api/notes/a', 'ada', text)).status).toBe(200)
    expect((await send('DELETE', '/api/notes/b', 'ada')).status).toBe(404)
    expect(await run("select text from notes where id = 'b'")).toEqual([{ text: "Bob's" }])
  })

  it('logs changes by the role of the caller, which cannot read them', async () => {
    const text = { note: { text: 'logged' } }
    expect((await send('PATCH', '/api/notes/a', 'ada', text)).status).toBe(200)
    await expect
      .poll(async () => {
        const read = await store.changes!.read(undefined, 100)
        return read.kind === 'changes' && JSON.stringify(read.entries)
      })
      .toContain('logged')
    await expect(
      run('set role app_user; select after_item from resourcery_changes'),
    ).rejects.toThrow('permission denied')
  })

  it('holds for a deletion that changes items that refer to it', async () => {
    expect((await send('DELETE', '/api/folders/f-bob', 'ada')).status).toBe(404)
    expect((await send('DELETE', '/api/folders/f-bob', 'bob')).status).toBe(204)
    expect(await run("select folder_id from notes where id = 'b'")).toEqual([{ folder_id: null }])
  })

  it('holds in batches', async () => {
    const type = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const data = { type: 'notes', id: 'b', attributes: { text: 'stolen' } }
    const body = { 'atomic:operations': [{ op: 'update', data }] }
    expect((await send('POST', '/json-api/operations', 'ada', body, type)).status).toBe(404)
    expect((await send('POST', '/json-api/operations', 'bob', body, type)).status).toBe(200)
  })

  it('refuses a new item of another user, and a change that gives one away', async () => {
    const note = { id: 'c', owner: 'bob', text: 'not mine' }
    const { status } = await send('POST', '/api/notes', 'ada', { note })
    expect(await run("select 1 from notes where id = 'c'")).toEqual([])
    const gift = await send('PATCH', '/api/notes/a', 'ada', { note: { owner: 'bob' } })
    expect([status, gift.status]).toEqual([422, 422])
  })
})
