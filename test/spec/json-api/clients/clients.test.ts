import { beforeEach, describe, expect, it } from 'vitest'
import { stores } from '../../../support/stores.ts'
import { blog } from '../../support/blog.ts'
import { type Client, mediaType } from '../../support/document-client.ts'
import { expectDone, expectError } from '../../support/expecting.ts'

describe('JSON:API 1.15: what clients send', () => {
  let api: Client

  beforeEach(async () => {
    api = (await blog(await stores[0]!.make())).api
  })

  it('1.15: kitsu: a body with DELETE of a resource', async () => {
    expect(
      (await api.delete('/api/articles/2', { data: { id: '2', type: 'articles' } })).status,
    ).toBe(204)
  })

  it('1.15: kitsu: Content-Type with GET', async () => {
    expect((await api.get('/api/articles', { 'content-type': mediaType })).status).toBe(200)
  })

  it('1.15: datx: every relationship on create, including empty ones', async () => {
    const response = await api.post(
      '/api/articles',
      {
        data: {
          type: 'articles',
          attributes: { title: 'T' },
          relationships: { author: { data: null }, comments: { data: [] }, tags: { data: [] } },
        },
      },
      { accept: '*/*' },
    )
    expect(response.status).toBe(201)
  })

  it('1.15: datx: all relations of the resource on PATCH', async () => {
    const { one } = await api.get('/api/articles/1?include=comments')
    const response = await api.patch('/api/articles/1', { data: one })
    expect([response.status, response.one.attributes]).toEqual([200, one.attributes])
    expect((await api.get('/api/articles/1/relationships/comments')).ids).toHaveLength(2)
  })

  it('1.15: devour: a top-level meta', async () => {
    const response = await api.post('/api/tags', {
      data: { type: 'tags', attributes: { name: 'n' } },
      meta: {},
    })
    expect(response.status).toBe(201)
  })

  it('1.15: Orbit: relations replaced through the resource, members removed with a body', async () => {
    const data = {
      type: 'articles',
      id: '1',
      relationships: { tags: { data: [{ type: 'tags', id: '4' }] } },
    }
    expect((await api.patch('/api/articles/1', { data })).status).toBe(200)
    expectDone(
      await api.delete('/api/articles/1/relationships/tags', { data: [{ type: 'tags', id: '4' }] }),
    )
    expect((await api.get('/api/articles/1/relationships/tags')).ids).toEqual([])
  })

  it('1.15: WarpDrive: a page that is an object is refused', async () => {
    expectError(await api.get('/api/articles?page=[object Object]'), 400, { parameter: 'page' })
  })

  it('1.15: WarpDrive: PUT updates', async () => {
    const { one } = await api.get('/api/articles/1')
    const data = { ...one, attributes: { ...one.attributes, title: 'New' } }
    const response = await api.put('/api/articles/1', { data })
    expect([response.status, response.one]).toEqual([200, data])
  })

  it('1.15: spraypaint: stats are an unknown family', async () => {
    expectError(await api.get('/api/articles?stats[total]=count'), 400, {
      parameter: 'stats[total]',
    })
  })
})
