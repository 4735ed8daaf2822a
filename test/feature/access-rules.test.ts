import type { Router } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it } from 'vitest'
import { accessRouter, as, type Caller, loadAccessWorld } from '../support/access-world.ts'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

describe.each(stores)('Access rules ($name)', ({ make }) => {
  async function world(policy?: Parameters<typeof accessRouter>[1]): Promise<{
    router: Router<Caller>
    api: Client
  }> {
    const router = accessRouter(await make(), policy)
    await loadAccessWorld(router)
    return { router, api: client(router) }
  }

  describe('of items', () => {
    it('hide items from lists, counts and their own addresses', async () => {
      const { api } = await world()
      expect((await api.get('/talks?sort=id')).ids('talks')).toEqual(['t1', 't3'])
      expect((await api.get('/talks?sort=id', as('ann'))).ids('talks')).toEqual(['t1', 't2', 't3'])
      expect((await api.get('/talks', as('x:admin'))).ids('talks')).toHaveLength(4)
      expect((await api.get('/talks?page[size]=1&withCount=true')).at('/meta/page/total')).toBe(2)
      expect((await api.get('/talks/t2')).status).toBe(404)
      expect((await api.get('/talks/t2', as('ann'))).status).toBe(200)
      const missing = await api.get('/talks/nothing')
      const hidden = await api.get('/talks/t2')
      expect(hidden.text.replaceAll('t2', 'nothing')).toBe(missing.text)
    })

    it('refuse anonymous callers with 401 and a challenge, whatever the item', async () => {
      const { api } = await world()
      for (const id of ['t1', 't2', 'nothing']) {
        const response = await api.patch(`/talks/${id}`, { talk: { title: 'X' } })
        expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      }
      expect((await api.post('/talks', { talk: { title: 'X' } })).status).toBe(401)
      expect((await api.post('/talks/t1/accept')).status).toBe(401)
      expect((await api.delete('/talks/t1')).status).toBe(401)
    })

    it('refuse with 403 what may be seen and not changed, and with 404 what is hidden', async () => {
      const { api } = await world()
      const change = { talk: { title: 'X' } }
      expect((await api.patch('/talks/t3', change, as('ann'))).status).toBe(403)
      expect((await api.patch('/talks/t4', change, as('ann'))).status).toBe(404)
      expect((await api.patch('/talks/t2', change, as('ann'))).status).toBe(200)
      expect((await api.delete('/talks/t2', as('ann'))).status).toBe(403)
      expect((await api.delete('/talks/t2', as('x:admin'))).status).toBe(204)
      expect((await api.post('/talks/t1/accept', undefined, as('ann'))).status).toBe(403)
      expect((await api.post('/talks/t4/accept', undefined, as('x:admin'))).status).toBe(200)
    })

    it('set what the service sets at creation, and refuse other values', async () => {
      const { api } = await world()
      const created = await api.post('/talks', { talk: { id: 'n1', title: 'New' } }, as('ann'))
      expect(created.status).toBe(201)
      expect(created.at('/talk/speaker')).toBe('ann')
      const other = await api.post('/talks', { talk: { title: 'New', speaker: 'bob' } }, as('ann'))
      expect(other.status).toBe(403)
      expect(other.errors[0]?.source).toEqual({ pointer: '/talk/speaker' })
      const moved = await api.patch('/talks/n1', { talk: { speaker: 'bob' } }, as('ann'))
      expect(moved.status).toBe(403)
    })

    it('hold for related items: includes, linkage and sorts', async () => {
      const { api } = await world(jsonApi())
      const included = await api.get('/speakers?include=talks&sort=id')
      const ids = (included.body as { included: { id: string }[] }).included.map(({ id }) => id)
      expect(ids.sort()).toEqual(['t1', 't3'])
      expect((await api.get('/speakers/ann/talks')).ids('data')).toEqual(['t1'])
      expect((await api.get('/speakers/ann/relationships/talks')).ids('data')).toEqual(['t1'])
      expect((await api.get('/speakers/ann/talks', as('ann'))).ids('data')).toEqual(['t1', 't2'])
    })
  })

  describe('of fields, by the caller alone', () => {
    it('make a field unknown to others', async () => {
      const { api } = await world()
      expect((await api.get('/talks/t1', as('x:admin'))).at('/talk/score')).toBe(5)
      expect((await api.get('/talks/t1')).at('/talk/score')).toBeUndefined()
      for (const query of ['filter[score]=5', 'sort=score', 'fields[talks]=score']) {
        expect((await api.get(`/talks?${query}`, as('x:admin'))).status).toBe(200)
        const refused = await api.get(`/talks?${query}`, as('ann'))
        const unknown = await api.get(`/talks?${query.replaceAll('score', 'skore')}`, as('ann'))
        expect(refused.status).toBe(400)
        expect(refused.text.replaceAll('score', 'skore')).toBe(unknown.text)
      }
      const written = await api.patch('/talks/t2', { talk: { score: 1 } }, as('ann'))
      expect(written.status).toBe(422)
      expect(written.errors[0]?.code).toBe('unknown-member')
    })

    it('leave it out of the document that these callers get', async () => {
      const { api } = await world()
      const admin = await api.get('/openapi.json', as('x:admin'))
      const ann = await api.get('/openapi.json', as('ann'))
      expect(admin.text).toContain('score')
      expect(ann.text).not.toContain('score')
      expect(ann.headers.get('cache-control')).toContain('private')
      expect(ann.headers.get('vary')?.toLowerCase()).toContain('authorization')
    })

    it('give versions of what is shown, which If-Match accepts', async () => {
      const { api } = await world()
      const seen = await api.get('/talks/t2', as('ann'))
      const whole = await api.get('/talks/t2', as('x:admin'))
      expect(seen.etag).not.toBe(whole.etag)
      expect(seen.etag.startsWith(`"${seen.at('/talk/hash')}.`)).toBe(true)
      const headers = { ...as('ann'), 'if-match': seen.etag }
      expect(
        (await api.get('/talks/t2', { ...as('ann'), 'if-none-match': seen.etag })).status,
      ).toBe(304)
      expect((await api.patch('/talks/t2', { talk: { title: 'X' } }, headers)).status).toBe(200)
      expect((await api.patch('/talks/t2', { talk: { title: 'Y' } }, headers)).status).toBe(412)
    })

    it('keep the value when the item is replaced', async () => {
      const { api } = await world()
      const replaced = await api.put('/talks/t2', { talk: { title: 'X', slot: 's2' } }, as('ann'))
      expect(replaced.status).toBe(200)
      expect((await api.get('/talks/t2', as('x:admin'))).at('/talk/score')).toBe(3)
    })
  })

  describe('of fields, by the item', () => {
    it('leave the member out where the rule does not hold', async () => {
      const { api } = await world()
      const list = await api.get('/talks?sort=id', as('ann'))
      expect(
        (list.body as { talks: { notes?: string }[] }).talks.map(({ notes }) => notes),
      ).toEqual(['a', 'b', undefined])
      expect((await api.get('/speakers/ann', as('bob'))).at('/speaker/email')).toBeUndefined()
      expect((await api.get('/speakers/ann', as('ann'))).at('/speaker/email')).toBe(
        'ann@example.org',
      )
    })

    it('hide the value from filters, sorts and cursors, here and through relations', async () => {
      const { api } = await world()
      expect((await api.get('/talks?filter[notes]=c', as('ann'))).ids('talks')).toEqual([])
      expect((await api.get('/talks?filter[notes][isNull]=true', as('ann'))).ids('talks')).toEqual([
        't3',
      ])
      expect((await api.get('/talks?sort=-notes', as('ann'))).ids('talks')).toEqual([
        't2',
        't1',
        't3',
      ])
      const email = 'filter[speaker.email]=bob@example.org'
      expect((await api.get(`/talks?${email}`, as('ann'))).ids('talks')).toEqual([])
      expect((await api.get(`/talks?${email}`, as('bob'))).ids('talks')).toEqual(['t3'])
      let next: string | undefined = '/talks?sort=notes&page[size]=1'
      const ids: string[] = []
      while (next !== undefined) {
        const page: Awaited<ReturnType<Client['get']>> = await api.get(next, as('ann'))
        ids.push(...page.ids('talks'))
        next = page.link('next')
      }
      expect(ids).toEqual(['t3', 't1', 't2'])
    })

    it('refuse writes of a field with a pointer, and keep it when the item is replaced', async () => {
      const { api } = await world()
      const refused = await api.patch('/speakers/ann', { speaker: { email: 'x@y.z' } }, as('ann'))
      expect(refused.status).toBe(403)
      expect(refused.errors[0]).toMatchObject({
        detail: "You may not set 'email'.",
        source: { pointer: '/speaker/email' },
      })
      const same = await api.patch(
        '/speakers/ann',
        { speaker: { email: 'ann@example.org' } },
        as('ann'),
      )
      expect(same.status).toBe(200)
      expect((await api.put('/speakers/ann', { speaker: { name: 'A' } }, as('ann'))).status).toBe(
        200,
      )
      expect((await api.get('/speakers/ann', as('ann'))).at('/speaker/email')).toBe(
        'ann@example.org',
      )
      const status = await api.patch('/talks/t2', { talk: { status: 'accepted' } }, as('ann'))
      expect(status.status).toBe(403)
    })
  })
})
