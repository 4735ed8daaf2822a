import { createRouter, field, hash, model, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Team = model('team', { name: z.string() })
const User = model('user', {
  name: z.string(),
  pin: field(z.string().default('4711'), { writeOnly: true }),
  bio: z.string().default('secret'),
  team: toOne('team', { optional: true }),
  hash: hash(),
})

describe.each(stores)(
  'A client cannot guess write-only members by the version, on $name',
  ({ make }) => {
    const service = async (policy: 'plain' | 'json') => {
      const router = createRouter({
        policy: policy === 'plain' ? rest() : jsonApi(),
        store: await make(),
      })
      router.prepare(Team)
      router
        .prepare(User)
        .map((user) => user, { hides: ['bio', 'team'], writable: ['bio', 'team'] })
      await router.load(Team, [{ id: 't-1', name: 'x' }])
      await router.load(User, [{ id: 'u-1', name: 'Mary', team: 't-1' }])
      return client(
        router,
        'http://localhost',
        policy === 'json' ? 'application/vnd.api+json' : undefined,
      )
    }

    it.each([
      ['PATCH', { pin: '4711' }],
      ['PATCH', { bio: 'secret' }],
      ['PATCH', { team: 't-1' }],
      ['PUT', { name: 'Mary', pin: '4711', bio: 'secret', team: 't-1' }],
    ])('%s with %j, the stored value, gives another version', async (method, user) => {
      const api = await service('plain')
      const { etag } = await api.get('/users/u-1')
      const response = await api.send(method, '/users/u-1', { user })
      expect(response.status).toBe(200)
      expect(response.etag).not.toBe(etag)
      expect((await api.get('/users/u-1')).etag).toBe(response.etag)
    })

    it.each([['PATCH'], ['PUT']])(
      '%s with readable members that change nothing keeps the version',
      async (method) => {
        const api = await service('plain')
        const { etag } = await api.get('/users/u-1')
        expect((await api.send(method, '/users/u-1', { user: { name: 'Mary' } })).etag).toBe(etag)
      },
    )

    it.each([
      [{ pin: '4711' }, { pin: '0000' }],
      [{ bio: 'secret' }, { bio: 'wrong' }],
    ])('a batch that rolls back its guess responds with %j like %j', async (right, wrong) => {
      const api = await service('json')
      const { etag } = await api.get('/users/u-1')
      const guess = async (attributes: object) => {
        const data = { type: 'users', id: 'u-1' }
        const operations = [
          { op: 'update', data: { ...data, attributes } },
          { op: 'update', data, meta: { ifMatch: etag } },
          { op: 'remove', ref: { type: 'users', id: 'nobody' } },
        ]
        const atomic = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
        const response = await api.post(
          '/operations',
          { 'atomic:operations': operations },
          { 'content-type': atomic },
        )
        return [response.status, response.text]
      }
      expect(await guess(right)).toEqual(await guess(wrong))
    })
  },
)
