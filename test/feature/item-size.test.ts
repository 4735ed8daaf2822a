import {
  Action,
  createRouter,
  file,
  hash,
  model,
  type Router,
  type Store,
  toMany,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import { client as documentClient } from '../spec/support/document-client.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Note extends model('note', {
  text: z.string(),
  shelves: toMany('shelf', { inverse: 'notes' }),
  hash: hash(),
}) {
  @Action(z.object({ times: z.int() }))
  repeat({ times }: { times: number }): void {
    this.text = this.text.repeat(times)
  }
}

class Shelf extends model('shelf', { name: z.string(), notes: toMany('note') }) {}

const limits = { maxItemBytes: 1_000 }
const tooLong = 'ä'.repeat(600)

describe.each(stores)('An item larger than the limit, on $name', ({ make }) => {
  let store: Store
  let router: Router
  let api: ReturnType<typeof client>
  let documents: ReturnType<typeof documentClient>

  beforeEach(async () => {
    store = await make()
    const routers = [rest(), jsonApi()].map((policy) => {
      const router = createRouter({ policy, store, limits })
      for (const entry of [Note, Shelf]) router.prepare(entry)
      return router
    })
    router = routers[0]!
    api = client(router)
    documents = documentClient(routers[1]!)
    await router.load(Note, [{ id: 'n', text: 'ä'.repeat(300) }])
    await router.load(Shelf, [{ id: 's', name: 'S' }])
  })

  it('is refused with 413 and the limit, whatever the operation', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `n-${String(index).padStart(20, '0')}`)
    await router.load(
      Note,
      ids.map((id) => ({ id, text: 'x' })),
    )
    const linkage = { data: ids.map((id) => ({ type: 'notes', id })) }
    const added = { op: 'add', data: { type: 'notes', attributes: { text: tooLong } } }
    const refused = await Promise.all([
      api.post('/notes', { note: { text: tooLong } }),
      api.patch('/notes/n', { note: { text: tooLong } }),
      api.put('/notes/n', { note: { text: tooLong } }),
      api.post('/notes/n/repeat', { times: 2 }),
      documents.post('/shelves/s/relationships/notes', linkage),
      documents.send(
        'POST',
        '/operations',
        { 'atomic:operations': [added] },
        { 'content-type': atomicType, accept: atomicType },
      ),
    ])
    for (const { status, text } of refused) {
      expect([status, text]).toEqual([413, expect.stringContaining('item-too-large')])
      expect(text).toContain('at most 1000')
    }
    await expect(router.load(Note, [{ text: tooLong }])).rejects.toThrow('at most 1000')
    expect((await api.get('/notes/n')).at('/note/text')).toBe('ä'.repeat(300))
  })

  it('is refused too where a change of the inverse relation would make it grow', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `n-${String(index).padStart(20, '0')}`)
    await router.load(
      Note,
      ids.map((id) => ({ id, text: 'x' })),
    )
    const shelves = { data: [{ type: 'shelves', id: 's' }] }
    let accepted = 0
    for (; accepted < ids.length; accepted++)
      if (
        (await documents.post(`/notes/${ids[accepted]}/relationships/shelves`, shelves)).status ===
        413
      )
        break
    expect(accepted).toBeGreaterThan(10)
    expect(accepted).toBeLessThan(ids.length)
    const note = { type: 'notes', id: ids[accepted]! }
    const refused = [
      await documents.patch(`/notes/${note.id}`, { data: { ...note, relationships: { shelves } } }),
      await documents.patch(`/notes/${note.id}/relationships/shelves`, shelves),
      await documents.post('/notes', {
        data: { type: 'notes', attributes: { text: 'x' }, relationships: { shelves } },
      }),
    ]
    for (const { status, text } of refused)
      expect([status, text]).toEqual([
        413,
        expect.stringMatching(/item-too-large.*'s'.*at most 1000/),
      ])
    expect((await api.get('/shelves/s')).at('/shelf/notes')).toHaveLength(accepted)
    // A refused request wrote nothing.
    expect((await api.get(`/notes?filter[shelves][any]=s`)).ids('notes')).toHaveLength(accepted)
  })

  it('may change as long as it does not grow, where it already exceeds the limit', async () => {
    const wide = createRouter({ policy: rest(), store })
    for (const entry of [Note, Shelf]) wide.prepare(entry)
    await wide.load(Note, [{ id: 'large', text: tooLong }])
    expect((await api.patch('/notes/large', { note: { text: `${tooLong}ä` } })).status).toBe(413)
    expect((await api.patch('/notes/large', { note: { text: tooLong.slice(1) } })).status).toBe(200)
  })
})

it('an upload whose metadata would make its item larger than the limit is refused', async () => {
  const Scan = model('scan', { text: z.string(), file: file() })
  const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs(), limits })
  router.prepare(Scan)
  await router.load(Scan, [{ id: 'a', text: 'x'.repeat(930) }])
  const response = await router.handle(
    new Request('http://localhost/scans/a/file', {
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${'n'.repeat(100)}.bin"`,
      },
      body: 'bytes',
    }),
  )
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ errors: [{ code: 'item-too-large' }] })
  expect(router.toOpenApi().paths['/scans/{id}/file']?.post?.responses).toHaveProperty('413')
})
