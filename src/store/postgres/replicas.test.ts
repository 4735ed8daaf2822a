import { setTimeout as wait } from 'node:timers/promises'
import { createRouter, model, type Router, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeReplica } from '../../../test/support/postgres/describe-postgres.ts'
import { PostgresReplica } from '../../../test/support/postgres/postgres-replica.ts'
import { PostgresServer } from '../../../test/support/postgres/postgres-server.ts'

class Shelf extends model('shelf', { name: z.string() }) {}
class Note extends model('note', {
  text: z.string(),
  shelf: toOne<Shelf>('shelf', { optional: true, onDelete: 'set-null' }),
}) {}

const header = 'resourcery-position'

describeReplica('a store with a replica', () => {
  let primary: PostgresServer
  let replica: PostgresReplica
  let router: Router
  let nextId = 0

  beforeAll(async () => {
    primary = await PostgresServer.start()
    replica = await PostgresReplica.startFrom(primary)
    const servers = { primary: primary.url(), replicas: [replica.url()] }
    router = createRouter({ policy: rest(), store: postgres(servers, { replicaWaitMs: 3_000 }) })
    router.prepare(Shelf)
    router.prepare(Note)
    await router.open()
    await replica.catchUp()
  }, 60_000)
  afterAll(async () => {
    await router.close()
    await replica.stop()
    await primary.stop()
  })
  beforeEach(async () => {
    if (!replica.isRunning) await replica.start()
    await replica.resumeReplay()
    await replica.catchUp()
  })

  const send = (method: string, path: string, position?: string | null, note?: object) =>
    router.handle(
      new Request(`http://localhost/notes${path}`, {
        method,
        headers: {
          ...(position != null && { [header]: position }),
          ...(note && { 'content-type': 'application/json' }),
        },
        ...(note && { body: JSON.stringify({ note }) }),
      }),
    )
  const create = async (text: string) => {
    const id = `n${nextId++}`
    const response = await send('POST', '', null, { id, text })
    expect(response.status).toBe(201)
    return { id, position: response.headers.get(header) }
  }
  const quickRouter = () => {
    const servers = { primary: primary.url(), replicas: [replica.url()] }
    const quick = createRouter({ policy: rest(), store: postgres(servers, { replicaWaitMs: 0 }) })
    quick.prepare(Shelf)
    quick.prepare(Note)
    return quick
  }

  it('reads from the replica, which may lag, and writes to the primary', async () => {
    await replica.pauseReplay()
    const { id, position } = await create('new')
    expect(position).toMatch(/^1-[0-9A-F]+\/[0-9A-F]+$/)
    const response = await send('GET', `/${id}`)
    expect([response.status, response.headers.get(header)]).toEqual([404, null])
    // What no request makes, such as the deletion of unreferenced blobs, sees everything.
    expect(await router.query(Note).where('id').equal(id).size()).toBe(1)
  })

  it('shows a client what it has written, from the primary if the replica lags', async () => {
    await replica.pauseReplay()
    const { id, position } = await create('mine')
    const quick = quickRouter()
    const request = (path: string) =>
      quick.handle(
        new Request(`http://localhost/notes${path}`, { headers: { [header]: position! } }),
      )
    expect((await request(`/${id}`)).status).toBe(200)
    expect(await (await request('?filter[text]=mine')).text()).toContain(id)
    await quick.close()
  })

  it('reads from the replica as soon as it has what the client has written', async () => {
    const { id, position } = await create('replayed')
    await replica.catchUp()
    await replica.pauseReplay()
    await primary.run('delete from notes where id = $1', [id])
    // The deletion came later, so this client need not see it.
    expect((await send('GET', `/${id}`, position)).status).toBe(200)
    expect(await router.query(Note).where('id').equal(id).size()).toBe(0)
  })

  it('waits for a replica that is about to get it', async () => {
    await replica.pauseReplay()
    const { id, position } = await create('soon')
    const startedAt = performance.now()
    const reading = send('GET', `/${id}`, position)
    await wait(100)
    await replica.resumeReplay()
    expect((await reading).status).toBe(200)
    const waitedMs = performance.now() - startedAt
    expect(waitedMs).toBeGreaterThan(90)
    expect(waitedMs).toBeLessThan(2_900)
  })

  it('shows a request what it has written itself', async () => {
    const { id } = await create('before')
    await replica.catchUp()
    await replica.pauseReplay()
    const headers = { 'content-type': 'application/json' }
    const shelf = { id: `s-${id}`, name: 'top' }
    await router.handle(
      new Request('http://localhost/shelves', {
        method: 'POST',
        headers,
        body: JSON.stringify({ shelf }),
      }),
    )
    const changed = await send('PATCH', `/${id}?include=shelf`, null, { shelf: shelf.id })
    expect(await changed.text()).toContain('"name":"top"')
    // A deletion that changes other items too says how far it got.
    const removed = await router.handle(
      new Request(`http://localhost/shelves/${shelf.id}`, { method: 'DELETE' }),
    )
    expect([removed.status, removed.headers.get(header)]).toEqual([204, expect.any(String)])
  })

  it('makes nobody wait for the position of a timeline that is over', async () => {
    const { id } = await create('survivor')
    await replica.catchUp()
    const position = '0-FFFFFFFF/FFFFFFFF'
    // The first one may not know yet.
    await send('GET', `/${id}`, position)
    const began = performance.now()
    expect((await send('GET', `/${id}`, position)).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  it('does not read what a replica of an earlier timeline has at the same place', async () => {
    await replica.catchUp()
    await replica.pauseReplay()
    const { id } = await create('later')
    const quick = quickRouter()
    const request = (timeline: number) =>
      quick.handle(
        new Request(`http://localhost/notes/${id}`, { headers: { [header]: `${timeline}-0/1` } }),
      )
    expect([(await request(1)).status, (await request(2)).status]).toEqual([404, 200])
    await quick.close()
  })

  it('refuses a header that no response has', async () => {
    const response = await send('GET', '', '0/1; drop table notes')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      errors: [
        {
          code: 'malformed-request',
          detail: "Expected the 'Resourcery-Position' of a response; got '0/1; drop table notes'.",
          source: { header: 'Resourcery-Position' },
        },
      ],
    })
  })

  it('reads from the primary while the replica is away, and from the replica when it is back', async () => {
    const { id } = await create('away')
    await replica.kill()
    for (let index = 0; index < 3; index++) expect((await send('GET', `/${id}`)).status).toBe(200)
    await replica.start()
    await replica.catchUp()
    await replica.pauseReplay()
    const later = await create('later')
    let { status } = await send('GET', `/${later.id}`)
    for (let tries = 0; status === 200 && tries < 100; tries++) {
      await wait(100)
      ;({ status } = await send('GET', `/${later.id}`))
    }
    expect(status).toBe(404)
  })
})

describe('the document of a service with replicas', () => {
  const urls = ['postgres://127.0.0.1:1/a', 'postgres://127.0.0.1:2/a'] as const
  const documentOf = (servers: Parameters<typeof postgres>[0], policy = rest()) => {
    const router = createRouter({ policy, store: postgres(servers) })
    router.prepare(Shelf)
    router.prepare(Note)
    return router.toOpenApi()
  }
  const replicated = { primary: urls[0], replicas: [urls[1]] }

  it('has the header of reads and of the responses to writes', () => {
    const document = documentOf(replicated)
    expect(document.components?.parameters).toHaveProperty('ResourceryPosition')
    const text = JSON.stringify(document.paths?.['/notes'])
    expect(text).toContain('#/components/parameters/ResourceryPosition')
    expect(text).toContain('OptionalResourceryPosition')
    const batch = JSON.stringify(documentOf(replicated, jsonApi()).paths?.['/operations'])
    expect(batch).toContain('ResourceryPosition')
  })

  it('has none without replicas', () => {
    for (const servers of [urls[0], { primary: urls[0], replicas: [] }])
      expect(JSON.stringify(documentOf(servers))).not.toContain('ResourceryPosition')
  })

  it('names all that is wrong with the servers', () => {
    const open = postgres as (servers: unknown) => unknown
    const faultsOf = (servers: unknown) => {
      try {
        return open(servers)
      } catch (error) {
        return (error as Error).message.split('\n')
      }
    }
    expect(faultsOf({ primary: urls[0], replica: [urls[1]] })).toEqual([
      "Unknown option 'replica' of the servers of postgres(). Did you mean 'replicas'?",
      "The option 'replicas' of postgres() must be an array of URLs or 'standbys'; got none.",
    ])
    expect(faultsOf({ replicas: 'postgres://app:secret@db-2/books' })).toEqual([
      "The URL of the primary of postgres() must begin with 'postgres://' or 'postgresql://'.",
      "The option 'replicas' of postgres() must be an array of URLs or 'standbys'; got a string.",
    ])
    expect(faultsOf({ primary: urls[0], replicas: [urls[1], 'mysql://a', 'b'] })).toEqual([
      "The URL of the replica 1 of postgres() must begin with 'postgres://' or 'postgresql://'.",
      "The URL of the replica 2 of postgres() must begin with 'postgres://' or 'postgresql://'.",
    ])
    expect(faultsOf({ primary: urls[0], replicas: 'standbys' })).toEqual([
      "The replicas of postgres() are 'standbys', but 'primary' names one host; expected several, such as 'postgres://db-1,db-2/bookstore'.",
    ])
  })
})
