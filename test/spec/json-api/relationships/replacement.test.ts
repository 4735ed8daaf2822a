import { createRouter, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client as restClient } from '../../../support/client.ts'
import { stores } from '../../../support/stores.ts'
import { type Client, client } from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'

const Track = model('track', { name: z.string(), album: toOne('album', { optional: true }) })
const Album = model('album', {
  name: z.string(),
  tracks: toMany('track', { inverse: 'album', replace: false }),
})
const Playlist = model('playlist', {
  name: z.string(),
  tracks: toMany('track', { replace: false }),
})

const tracks = (...ids: string[]) => ids.map((id) => ({ type: 'tracks', id }))

describe.each(stores)(
  'JSON:API 1.9, 1.10: a relation that is not replaced as a whole, on $name',
  ({ make }) => {
    let api: Client
    let plain: ReturnType<typeof restClient>

    beforeEach(async () => {
      const store = await make()
      const router = createRouter({ policy: jsonApi(), store })
      const other = createRouter({ policy: rest(), store })
      for (const entry of [Track, Album, Playlist]) {
        router.prepare(entry)
        other.prepare(entry)
      }
      await router.load(Album, [{ id: 'one', name: 'One' }])
      await router.load(Track, [
        { id: 'a', name: 'A', album: 'one' },
        { id: 'b', name: 'B', album: 'one' },
        { id: 'c', name: 'C' },
      ])
      await router.load(Playlist, [{ id: 'one', name: 'One', tracks: ['b', 'a'] }])
      api = client(router)
      plain = restClient(other)
    })

    describe.each([
      ['held by the item', 'playlists', ['b', 'a']],
      ['derived from the other side', 'albums', ['a', 'b']],
    ])('%s', (_, plural, held) => {
      const path = `/${plural}/one`
      const document = (members: object) => ({ data: { type: plural, id: 'one', ...members } })
      const idsNow = async () => (await api.get(`${path}/relationships/tracks`)).ids

      it.each([[['c']], [['a']], [[]], [['a', 'b', 'c']]])(
        'UP5: an update that would make it %j is refused with 403 as a whole',
        async (ids) => {
          const relationships = { tracks: { data: tracks(...ids) } }
          const response = await api.patch(
            path,
            document({ attributes: { name: 'New' }, relationships }),
          )
          expectError(response, 403, { pointer: '/data/relationships/tracks/data' })
          expect((await api.get(path)).one.attributes).toEqual({ name: 'One' })
          expect(await idsNow()).toEqual(held)
        },
      )

      it('UP5: sending back the current members changes nothing, and is allowed', async () => {
        const relationships = { tracks: { data: tracks('a', 'b') } }
        const response = await api.patch(
          path,
          document({ attributes: { name: 'New' }, relationships }),
        )
        expect([response.status, response.one.attributes]).toEqual([200, { name: 'New' }])
        expect((await idsNow()).toSorted()).toEqual(['a', 'b'])
      })

      it('RE4, RE11: PATCH of the relationship is 403, whatever it sends, and changes nothing', async () => {
        const response = await api.patch(`${path}/relationships/tracks`, { data: tracks('c') })
        expectError(response, 403, { pointer: '' })
        expect(await idsNow()).toEqual(held)
      })

      it('RE5, RE7: members can be added and removed', async () => {
        expect((await api.post(`${path}/relationships/tracks`, { data: tracks('c') })).status).toBe(
          204,
        )
        expect(
          (await api.delete(`${path}/relationships/tracks`, { data: tracks('a') })).status,
        ).toBe(204)
        expect((await idsNow()).toSorted()).toEqual(['b', 'c'])
      })

      it('CR7: a new resource can have it', async () => {
        const data = {
          type: plural,
          id: 'two',
          attributes: { name: 'Two' },
          relationships: { tracks: { data: tracks('c') } },
        }
        expect((await api.post(`/${plural}`, { data })).status).toBe(201)
        expect((await api.get(`/${plural}/two/relationships/tracks`)).ids).toEqual(['c'])
      })
    })

    it('UP5: PUT that leaves it out would clear it, and is refused', async () => {
      const data = { type: 'playlists', id: 'one', attributes: { name: 'New' } }
      expectError(await api.put('/playlists/one', { data }), 403)
      expect((await api.get('/playlists/one/relationships/tracks')).ids).toEqual(['b', 'a'])
    })

    it('plain REST refuses a replacement too', async () => {
      const response = await plain.patch('/playlists/one', {
        playlist: { name: 'New', tracks: ['c'] },
      })
      expect([response.status, response.errors[0]?.source]).toEqual([
        403,
        { pointer: '/playlist/tracks' },
      ])
      expect(
        (await plain.patch('/playlists/one', { playlist: { name: 'New', tracks: ['a', 'b'] } }))
          .status,
      ).toBe(200)
    })
  },
)
