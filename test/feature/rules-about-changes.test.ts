import { createRouter, file, hash, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const status = z.enum(['draft', 'review', 'published']).default('draft')

class Desk extends model('desk', {
  name: z.string(),
  chief: z.string(),
  papers: toMany('paper', { inverse: 'desk' }),
}) {}

class Paper extends model('paper', {
  title: z.string(),
  status,
  owner: z.string(),
  tags: z.array(z.string()).default([]),
  desk: toOne<Desk, { optional: true }>('desk', { optional: true }),
  readers: toMany('desk'),
  scan: file({ types: ['text/plain'] }),
  hash: hash(),
}) {}

class Ticket extends model('ticket', {
  title: z.string(),
  status,
  grade: z.int().optional(),
}) {}

describe.each(stores)('Access rules that compare before and after ($name)', ({ make }) => {
  async function world(policy = rest()) {
    const router = createRouter({
      policy,
      store: await make(),
      blobs: memoryBlobs(),
      security: { authentication: [token], callerSchema: Caller },
      capabilities: 'items',
    })
    router.prepare(Desk)
    router.prepare(Paper).access(({ item, before, caller }) => {
      const isOwner = before.owner.equal(caller.id).and(item.owner.equal(caller.id))
      return {
        update: isOwner
          .and(
            before.status
              .equal('draft')
              .and(item.status.anyOf(['draft', 'review']))
              .or(before.status.equal('review').and(item.status.equal('draft'))),
          )
          .or(
            before.desk.chief
              .equal(caller.id)
              .and(before.status.equal('review'), item.status.equal('published')),
          ),
      }
    })
    router.prepare(Ticket).access(({ item, before, caller, anyone }) => ({
      update: anyone,
      fields: {
        status: {
          read: anyone,
          write: before.status
            .isNull()
            .and(item.status.equal('draft'))
            .or(
              before.status.equal('draft').and(item.status.equal('review')),
              before.status.equal('review').and(caller.roles.contains('chief')),
            ),
        },
        grade: { read: anyone, write: before.grade.isNull().or(item.grade.greaterThan(5)) },
      },
    }))
    await router.load(Desk, [{ id: 'd', name: 'D', chief: 'zoe' }])
    await router.load(Paper, [
      { id: 'p', title: 'P', owner: 'ann', status: 'draft', desk: 'd' },
      { id: 'q', title: 'Q', owner: 'bob', status: 'draft' },
      { id: 'r', title: 'R', owner: 'ann', status: 'published' },
    ])
    await router.load(Ticket, [{ id: 't', title: 'T', status: 'draft', grade: 3 }])
    return {
      router,
      api: client(router),
      jsonApi: client(router, undefined, 'application/vnd.api+json'),
    }
  }

  it('allow the transitions that they name, and no other', async () => {
    const { api } = await world()
    const to = async (id: string, status: string, who: string) =>
      (await api.patch(`/papers/${id}`, { paper: { status } }, as(who))).status
    expect(await to('p', 'published', 'ann')).toBe(403)
    expect(await to('p', 'review', 'zoe')).toBe(403)
    expect(await to('p', 'review', 'ann')).toBe(200)
    expect(await to('p', 'draft', 'ann')).toBe(200)
    expect(await to('p', 'published', 'zoe')).toBe(403)
    expect(await to('p', 'review', 'ann')).toBe(200)
    expect(await to('p', 'published', 'ann')).toBe(403)
    expect(await to('p', 'published', 'zoe')).toBe(200)
    expect(await to('p', 'draft', 'ann')).toBe(403)
    expect((await api.patch('/papers/p', { paper: { status: 'draft' } })).status).toBe(401)
  })

  it('see both sides of other members, so that nobody takes an item over', async () => {
    const { api } = await world()
    const change = { paper: { owner: 'ann', status: 'review' } }
    expect((await api.patch('/papers/q', change, as('ann'))).status).toBe(403)
    expect((await api.patch('/papers/p', { paper: { owner: 'bob' } }, as('ann'))).status).toBe(403)
    expect((await api.get('/papers/q', as('ann'))).at('/paper/owner')).toBe('bob')
    expect((await api.patch('/papers/p', { paper: { title: 'X' } }, as('ann'))).status).toBe(200)
  })

  it('hold for replacements, relationships and files', async () => {
    const { jsonApi: api, router } = await world(jsonApi())
    const replaced = (status: string) =>
      api.patch(
        '/papers/p',
        { data: { type: 'papers', id: 'p', attributes: { status } } },
        as('ann'),
      )
    const link = (id: string, name: string, data: unknown) =>
      api.patch(`/papers/${id}/relationships/${name}`, { data }, as('ann'))
    const desk = { type: 'desks', id: 'd' }
    expect((await link('p', 'readers', [desk])).status).toBe(204)
    expect((await link('r', 'readers', [desk])).status).toBe(403)
    expect((await link('q', 'readers', [desk])).status).toBe(403)
    // The inverse side changes the papers.
    const joined = (id: string) =>
      api.post('/desks/d/relationships/papers', { data: [{ type: 'papers', id }] }, as('ann'))
    expect((await joined('r')).status).toBe(403)
    expect((await replaced('published')).status).toBe(403)
    expect((await replaced('review')).status).toBe(200)
    // What is in review can only go back to draft, or be published by the chief.
    expect((await link('p', 'readers', [])).status).toBe(403)
    const upload = (id: string) =>
      api.send('POST', `/papers/${id}/scan`, 'text', { ...as('ann'), 'content-type': 'text/plain' })
    expect((await upload('r')).status).toBe(403)
    expect((await upload('p')).status).toBe(403)
    expect((await replaced('draft')).status).toBe(200)
    expect((await upload('p')).status).toBeLessThan(300)
    expect((await router.items(Paper).get('p'))?.status).toBe('draft')
  })

  it('decide about single fields, of new items too', async () => {
    const { api } = await world()
    const patch = (ticket: object, who?: string) => api.patch('/tickets/t', { ticket }, as(who))
    expect((await patch({ status: 'published' })).status).toBe(403)
    expect((await patch({ status: 'review' })).status).toBe(200)
    expect((await patch({ title: 'X' })).status).toBe(200)
    expect((await patch({ status: 'published' })).status).toBe(403)
    expect((await patch({ status: 'published' }, 'x:chief')).status).toBe(200)
    expect((await patch({ grade: 4 })).status).toBe(403)
    expect((await patch({ grade: 6 })).status).toBe(200)
    expect((await patch({ grade: null })).status).toBe(403)
    const put = await api.put('/tickets/t', { ticket: { title: 'Y', status: 'published' } })
    expect(put.status).toBe(403)
    const create = (ticket: object) => api.post('/tickets', { ticket: { title: 'N', ...ticket } })
    expect((await create({ grade: 1 })).status).toBe(201)
    expect((await create({ status: 'draft' })).status).toBe(201)
    const review = await create({ status: 'review' })
    expect(review.status).toBe(403)
  })

  it('hold for code in the name of a caller, and not for the service', async () => {
    const { api, router } = await world()
    await router.items(Paper).update('p', { status: 'published' })
    expect((await api.get('/papers/p')).at('/paper/status')).toBe('published')
  })

  it('say that an update may be allowed, by what the item is now', async () => {
    const { api } = await world()
    const can = async (id: string, who: string) =>
      (await api.get(`/papers/${id}`, as(who))).at('/meta/can/update')
    expect([await can('p', 'ann'), await can('q', 'ann'), await can('r', 'ann')]).toEqual([
      true,
      false,
      false,
    ])
    const capabilities = await api.get('/papers/capabilities', as('ann'))
    expect(capabilities.at('/operations/update')).toBe('sometimes')
    expect((await api.get('/papers/capabilities')).at('/operations/update')).toBe('never')
    const tickets = await api.get('/tickets/capabilities')
    expect(tickets.at('/fields/status/write')).toBe('sometimes')
  })

  it('are described in words', async () => {
    const { router } = await world()
    const text = JSON.stringify(router.toOpenApi())
    expect(text).toContain('the previous \'status\' is \\"draft\\"')
  })

  it('keep the tenant of the stored item', async () => {
    const Note = model('note', { text: z.string(), org: z.string() })
    const router = createRouter({
      policy: rest(),
      store: await make(),
      security: {
        authentication: [token],
        callerSchema: Caller,
        tenant: { field: 'org', equal: (caller) => caller.id },
      },
    })
    router.prepare(Note).access(({ item, before, anyone }) => ({
      read: anyone,
      update: before.text.equal('old').and(item.text.equal('new')),
    }))
    await router.load(Note, [
      { id: 'a', text: 'old', org: 'ann' },
      { id: 'b', text: 'old', org: 'bob' },
    ])
    const api = client(router)
    const change = (id: string, text: string) =>
      api.patch(`/notes/${id}`, { note: { text } }, as('ann'))
    expect((await change('b', 'new')).status).toBe(404)
    expect((await change('a', 'x')).status).toBe(403)
    expect((await change('a', 'new')).status).toBe(200)
  })
})
