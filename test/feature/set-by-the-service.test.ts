import { type Authenticator, createRouter, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Person = model('person', {
  name: z.string(),
  notes: toMany('note', { inverse: 'owner' }),
})
const Note = model('note', {
  text: z.string(),
  place: z.string().default('nowhere'),
  owner: toOne('person'),
})
const Caller = z.object({ id: z.string(), place: z.string(), roles: z.array(z.string()) })

const as = (id: string, ...roles: string[]) => ({
  authorization: `Bearer ${[id, ...roles].join(':')}`,
})

const token: Authenticator<z.input<typeof Caller>> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: ({ headers }) => {
    const [id, ...roles] = headers.authorization?.slice(7).split(':') ?? []
    return id === undefined ? undefined : { caller: { id, place: `at ${id}`, roles } }
  },
}

describe.each(stores)('Values that the service sets ($name)', ({ make }) => {
  async function world(isJsonApi = false, canHandOver = true) {
    const router = createRouter({
      policy: isJsonApi ? jsonApi() : rest(),
      store: await make(),
      security: { authentication: [token], callerSchema: Caller },
      docsPage: true,
    })
    router.prepare(Person)
    router.prepare(Note).access(({ caller, anyone }) => ({
      set: { owner: caller.id, place: caller.place },
      ...(canHandOver && {
        fields: {
          owner: { read: anyone, write: caller.roles.contains('admin') },
          place: { read: anyone, write: caller.roles.contains('admin') },
        },
      }),
    }))
    await router.load(Person, [
      { id: 'ann', name: 'Ann' },
      { id: 'bob', name: 'Bob' },
    ])
    await router.load(Note, [{ id: 'n', text: 'n', place: 'p', owner: 'ann' }])
    const mediaType = isJsonApi ? 'application/vnd.api+json' : undefined
    return client(router, undefined, mediaType)
  }

  it('can be changed by those whom a rule of the field admits', async () => {
    const api = await world()
    const admin = as('bob', 'admin')
    const change = { note: { owner: 'bob', place: 'q' } }
    expect((await api.patch('/notes/n', change, as('ann'))).status).toBe(403)
    expect((await api.patch('/notes/n', change, admin)).status).toBe(200)
    expect((await api.get('/notes/n')).at('/note/owner')).toBe('bob')
    expect((await api.patch('/notes/n', change, as('ann'))).status).toBe(200)
    const replaced = await api.put('/notes/n', { note: { text: 'new' } }, admin)
    expect(replaced.at('/note/owner')).toBe('bob')
    expect(replaced.at('/note/place')).toBe('q')
  })

  it('are set at creation unless such a caller sends others', async () => {
    const api = await world()
    const admin = as('bob', 'admin')
    let count = 0
    const of = (...members: object[]) => ({
      note: Object.assign({ id: `n${++count}`, text: 'x' }, ...members),
    })
    const made = await api.post('/notes', of(), as('ann'))
    expect([made.at('/note/owner'), made.at('/note/place')]).toEqual(['ann', 'at ann'])
    const same = of({ owner: 'ann', place: 'at ann' })
    expect((await api.post('/notes', same, as('ann'))).status).toBe(201)
    const refused = await api.post('/notes', of({ owner: 'bob' }), as('ann'))
    expect(refused.status).toBe(403)
    expect(refused.at('/errors/0/source/pointer') ?? refused.text).toContain('/note/owner')
    const other = await api.post('/notes', of({ owner: 'ann', place: 'here' }), admin)
    expect([other.at('/note/owner'), other.at('/note/place')]).toEqual(['ann', 'here'])
    expect((await api.post('/notes', of(), admin)).at('/note/owner')).toBe('bob')
  })

  it.each([true, false])(
    'refuse callers that are no item themselves, and point to what they sent only (JSON:API: %s)',
    async (isJsonApi) => {
      const api = await world(isJsonApi)
      const note = (owner?: string) => {
        const linkage = { data: { type: 'people', id: owner } }
        return isJsonApi
          ? {
              data: {
                type: 'notes',
                attributes: { text: 'x' },
                ...(owner && { relationships: { owner: linkage } }),
              },
            }
          : { note: { text: 'x', ...(owner && { owner }) } }
      }
      const detail =
        "This request cannot create a note: the service sets 'owner' to the person 'cy', which does not exist."
      const pointer = isJsonApi ? '/data/relationships/owner/data' : '/note/owner'
      for (const [body, expected] of [
        [note(), undefined],
        [note('cy'), expect.stringContaining(pointer)],
      ] as const) {
        const { status, errors } = await api.post('/notes', body, as('cy'))
        const problems = errors.map(({ code, detail, source }) => [code, detail, source?.pointer])
        expect([status, problems]).toEqual([403, [['forbidden', detail, expected]]])
      }
    },
  )

  it('need not be sent, as the document says', async () => {
    const api = await world()
    const document = await api.get('/openapi.json', as('bob', 'admin'))
    const text = JSON.stringify(document.at('/paths/~1notes/post'))
    const open = (document.body as { components: { schemas: Record<string, object> } }).components
    const schema = JSON.stringify(open.schemas) + text
    expect(schema).not.toMatch(/"required":\[[^\]]*"owner"[^\]]*\],"additionalProperties":false/)
  })

  it.each([true, false])(
    'can be sent back to the address of the relationship (handed over: %s)',
    async (canHandOver) => {
      const api = await world(true, canHandOver)
      const owner = (id: string) => ({ data: { type: 'people', id } })
      const path = '/notes/n/relationships/owner'
      expect((await api.patch(path, owner('ann'), as('ann'))).status).toBeLessThan(300)
      expect((await api.patch(path, owner('bob'), as('ann'))).status).toBe(403)
      expect([403, 422]).toContain((await api.patch(path, { data: null }, as('ann'))).status)
      const inverse = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'notes', id })) })
      const notes = '/people/ann/relationships/notes'
      expect((await api.patch(notes, inverse('n'), as('ann'))).status).toBeLessThan(300)
      const taken = await api.patch('/people/bob/relationships/notes', inverse('n'), as('ann'))
      expect(taken.status).toBe(403)
      expect((await api.get(path)).at('/data/id')).toBe('ann')
      const byAdmin = await api.patch(path, owner('bob'), as('bob', 'admin'))
      expect(byAdmin.status < 300).toBe(canHandOver)
    },
  )
})
