import {
  createRouter,
  file,
  type Middleware,
  model,
  type QueryHook,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Team = model('team', {
  name: z.string(),
  notes: toMany('note', { inverse: 'team' }),
})
const Note = model(
  'note',
  {
    text: z.string(),
    tenant: z.string().default('A'),
    team: toOne('team', { optional: true }),
    tags: toMany('tag'),
    scan: file(),
  },
  { upsert: true },
)
const Tag = model('tag', { name: z.string(), notes: toMany('note', { inverse: 'tags' }) })

/** Notes of other tenants are hidden from the caller, who may not write one either. */
const ofTenantA: QueryHook = (query) => query.where('tenant').equal('A')
/**
 * A note may be in the team 'a' or in none, and never have the tag 'secret'; everybody sees it,
 * whatever its team is now.
 */
const inTeamA: Middleware = {
  query: {
    create: (query) =>
      query
        .where('team')
        .anyOf(['a', null])
        .not((part) => part.where('tags').containsAny(['secret'])),
  },
}

const teams = ['a', 'b'].map((id) => ({ id, name: id }))
const tags = ['open', 'secret'].map((id) => ({ id, name: id }))
const notes = [
  { id: 'n-1', text: 'x', team: 'a', tags: ['open'] },
  { id: 'n-2', text: 'x', team: 'b' },
]

describe.each(stores)(
  'Every item satisfies the query hooks of create after every write, on $name',
  ({ make }) => {
    const service = async (
      policy: 'plain' | 'json',
      ofNotes: Middleware,
      ofTeams: Middleware = {},
    ) => {
      const options = { store: await make(), blobs: memoryBlobs() }
      const router = createRouter({ policy: policy === 'plain' ? rest() : jsonApi(), ...options })
      router.prepare(Team).use(ofTeams)
      router.prepare(Tag)
      const prepared = router.prepare(Note).use(ofNotes)
      prepared.itemOperation('move', ({ item, input }) => void Object.assign(item, input), {
        input: z.object({ tenant: z.string().optional(), text: z.string().optional() }),
      })
      await router.load(Team, teams)
      await router.load(Tag, tags)
      await router.load(Note, notes)
      const stored = async () => {
        const all: unknown[] = []
        for await (const item of router.query(Note).exec()) all.push(item)
        return all
      }
      return {
        api: client(
          router,
          'http://localhost',
          policy === 'json' ? 'application/vnd.api+json' : undefined,
        ),
        stored,
      }
    }

    const hers: Middleware = { query: { any: ofTenantA, create: ofTenantA } }

    it.each([
      ['POST', '/notes', { note: { text: 'x', tenant: 'B' } }],
      ['PATCH', '/notes/n-1', { note: { tenant: 'B' } }],
      ['PUT', '/notes/n-1', { note: { text: 'x', tenant: 'B' } }],
      ['PUT', '/notes/n-9', { note: { text: 'x', tenant: 'B' } }],
      ['POST', '/notes/n-1/move', { tenant: 'B' }],
    ] as const)(
      '%s %s cannot move an item to another tenant: 403, rolled back',
      async (method, path, body) => {
        const { api, stored } = await service('plain', hers)
        const before = await stored()
        const response = await api.send(method, path, body)
        expect([response.status, response.errors[0]?.code]).toEqual([403, 'forbidden'])
        expect(await stored()).toEqual(before)
      },
    )

    it.each([
      ['POST', '/notes', { note: { text: 'y' } }, 201],
      ['PATCH', '/notes/n-1', { note: { text: 'y' } }, 200],
      ['PUT', '/notes/n-1', { note: { text: 'y' } }, 200],
      ['PUT', '/notes/n-9', { note: { text: 'y' } }, 201],
      ['POST', '/notes/n-1/move', { text: 'y' }, 200],
      ['DELETE', '/notes/n-1', undefined, 204],
    ] as const)(
      '%s %s succeeds where the item stays with its tenant',
      async (method, path, body, status) => {
        const { api } = await service('plain', hers)
        expect((await api.send(method, path, body)).status).toBe(status)
      },
    )

    const note = (id: string) => ({ type: 'notes', id })
    const tag = (id: string) => ({ type: 'tags', id })
    const team = (id: string) => ({ type: 'teams', id })
    const withNotes = (type: string, id: string, ids: readonly string[]) => ({
      data: {
        type,
        id,
        attributes: { name: 'n' },
        relationships: { notes: { data: ids.map(note) } },
      },
    })

    it.each([
      ['PATCH', '/notes/n-1/relationships/team', { data: team('b') }],
      ['POST', '/notes/n-1/relationships/tags', { data: [tag('secret')] }],
      ['PATCH', '/notes/n-1/relationships/tags', { data: [tag('secret')] }],
      ['POST', '/teams/b/relationships/notes', { data: [note('n-1')] }],
      ['PATCH', '/teams/b/relationships/notes', { data: [note('n-1'), note('n-2')] }],
      ['POST', '/tags/secret/relationships/notes', { data: [note('n-1')] }],
      ['PATCH', '/teams/b', withNotes('teams', 'b', ['n-1', 'n-2'])],
      ['POST', '/teams', withNotes('teams', 'c', ['n-1'])],
    ] as const)(
      '%s %s with %j, from either side of a relation: 403, rolled back',
      async (method, path, body) => {
        const { api, stored } = await service('json', inTeamA)
        const before = await stored()
        expect((await api.send(method, path, body)).status).toBe(403)
        expect(await stored()).toEqual(before)
        expect(
          (await service('json', {}).then((open) => open.api.send(method, path, body))).status,
        ).toBeLessThan(300)
      },
    )

    it.each([
      ['PATCH', '/notes/n-1/relationships/team', { data: null }],
      ['DELETE', '/notes/n-1/relationships/tags', { data: [tag('open')] }],
      ['DELETE', '/teams/a/relationships/notes', { data: [note('n-1')] }],
      ['POST', '/teams/a/relationships/notes', { data: [note('n-2')] }],
      ['POST', '/tags/open/relationships/notes', { data: [note('n-1')] }],
    ] as const)(
      '%s %s with %j succeeds where the items satisfy the condition',
      async (method, path, body) => {
        const { api } = await service('json', inTeamA)
        expect((await api.send(method, path, body)).status).toBeLessThan(300)
      },
    )

    const withoutFirst: Middleware = {
      query: { create: (query) => query.not((part) => part.where('notes').containsAny(['n-1'])) },
    }

    it.each([
      ['POST', '/teams', withNotes('teams', 'c', ['n-1'])],
      ['PATCH', '/teams/b', withNotes('teams', 'b', ['n-1', 'n-2'])],
      [
        'PATCH',
        '/teams/b',
        { data: { ...team('b'), relationships: { notes: { data: [note('n-1')] } } } },
      ],
      ['POST', '/teams/b/relationships/notes', { data: [note('n-1')] }],
      ['PATCH', '/teams/b/relationships/notes', { data: [note('n-1')] }],
    ] as const)(
      '%s %s with %j: a condition about an inverse relation applies to its new items',
      async (method, path, body) => {
        const { api, stored } = await service('json', {}, withoutFirst)
        const before = await stored()
        expect((await api.send(method, path, body)).status).toBe(403)
        expect(await stored()).toEqual(before)
      },
    )

    it.each([
      ['POST', '/teams', withNotes('teams', 'c', ['n-2'])],
      ['PATCH', '/teams/b', withNotes('teams', 'b', [])],
      ['POST', '/teams/b/relationships/notes', { data: [note('n-2')] }],
      ['DELETE', '/teams/a/relationships/notes', { data: [note('n-1')] }],
      ['POST', '/teams/a/relationships/notes', { data: [note('n-1')] }],
    ] as const)(
      '%s %s with %j succeeds where the condition holds, or nothing changes',
      async (method, path, body) => {
        const { api } = await service('json', {}, withoutFirst)
        expect((await api.send(method, path, body)).status).toBeLessThan(300)
      },
    )

    it('a new item can be required to have related items, which are sent with it', async () => {
      const withNote: Middleware = {
        query: { create: (query) => query.where('notes').containsAny(['n-1', 'n-2']) },
      }
      const { api } = await service('json', {}, withNote)
      expect((await api.post('/teams', withNotes('teams', 'c', ['n-1']))).status).toBe(201)
      expect((await api.post('/teams', withNotes('teams', 'd', []))).status).toBe(403)
    })

    it('a binary resource of an item that fails the condition can be neither set nor deleted', async () => {
      const { api } = await service('plain', inTeamA)
      const bytes = (method: string, id: string) =>
        api.send(
          method,
          `/notes/${id}/scan`,
          method === 'POST' ? new Blob(['bytes'], { type: 'text/plain' }) : undefined,
        )
      expect((await bytes('POST', 'n-1')).status).toBe(200)
      expect((await bytes('DELETE', 'n-1')).status).toBe(204)
      expect((await bytes('POST', 'n-2')).status).toBe(403)
      expect((await api.get('/notes/n-2/scan')).status).toBe(404)
    })

    it('a batch whose last operation would leave such an item changes nothing', async () => {
      const { api, stored } = await service('json', inTeamA)
      const before = await stored()
      const operations = [
        { op: 'update', data: { ...note('n-1'), attributes: { text: 'changed' } } },
        { op: 'update', ref: { ...note('n-1'), relationship: 'team' }, data: team('b') },
      ]
      const atomic = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
      const response = await api.send(
        'POST',
        '/operations',
        { 'atomic:operations': operations },
        { 'content-type': atomic },
      )
      expect(response.status).toBe(403)
      expect(await stored()).toEqual(before)
    })

    it('changes by onDelete are declared by the model, and not checked', async () => {
      const { api } = await service('plain', {
        query: { create: (query) => query.where('team').notEqual(null) },
      })
      expect((await api.delete('/teams/a')).status).toBe(204)
      expect((await api.get('/notes/n-1')).at('/note/team')).toBeNull()
    })
  },
)
