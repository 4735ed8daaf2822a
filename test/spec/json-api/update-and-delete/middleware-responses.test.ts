import { type Middleware, refuse, respond } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { blog } from '../../support/blog.ts'
import { mediaType } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'

const article = (members: object) => ({
  data: { type: 'articles', attributes: { title: 'New' }, ...members },
})

describe.each(stores)(
  'JSON:API 1.8 to 1.10: requests that middleware accepts for later, or forbids, on $name',
  ({ make }) => {
    it('CR11, UP8, DE2, RE10: a write that is accepted for later is 202 with the address of its job, and nothing is written yet', async () => {
      const job = '/jobs/7'
      const later = () =>
        respond(
          202,
          { 'content-type': mediaType, 'content-location': job },
          JSON.stringify({ jsonapi: { version: '1.1' }, meta: { job } }),
        )
      const request = { create: later, update: later, delete_: later, relationshipPost: later }
      const { api } = await blog(await make(), { articleMiddleware: { request } })
      const before = (await api.get('/api/articles')).document
      for (const response of [
        await api.post('/api/articles', article({})),
        await api.patch('/api/articles/1', article({ id: '1' })),
        await api.delete('/api/articles/1'),
        await api.post('/api/articles/1/relationships/tags', { data: [{ type: 'tags', id: '4' }] }),
      ]) {
        expect([
          response.status,
          response.headers.get('content-location'),
          response.at('/meta/job'),
        ]).toEqual([202, job, job])
      }
      expect((await api.get('/api/articles')).document).toEqual(before)
    })

    it('CR13, UP10, RE11: a forbidden write is 403, and nothing is written', async () => {
      const never = (): never => {
        throw refuse('forbidden', 'Articles are not changed here.')
      }
      const forbidden: Middleware = {
        request: { create: never, update: never, relationshipPatch: never },
      }
      const { api } = await blog(await make(), { articleMiddleware: forbidden })
      const before = (await api.get('/api/articles')).document
      expectError(await api.post('/api/articles', article({})), 403)
      expectError(await api.patch('/api/articles/1', article({ id: '1' })), 403)
      expectError(await api.patch('/api/articles/1/relationships/author', { data: null }), 403)
      expect((await api.get('/api/articles')).document).toEqual(before)
    })

    it('DE1, DE3: a deletion is 204 without a document; CR10, CR12: a creation always responds with the resource', async () => {
      const { api } = await blog(await make())
      const removed = await api.delete('/api/articles/2')
      expect([removed.status, removed.text]).toEqual([204, ''])
      const created = await api.post('/api/articles', article({ id: 'mine' }))
      expect([created.status, created.one.id]).toEqual([201, 'mine'])
    })
  },
)
