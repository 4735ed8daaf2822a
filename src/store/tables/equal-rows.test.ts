import { hash, model, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'

const schema = `
create table genres (id integer primary key, name text not null);
create table kinds (id integer primary key, name text not null);
create table tracks (
  id integer primary key,
  genre_id integer references genres,
  kind_id integer references kinds
);
insert into genres values (1, 'The same'), (2, 'Jazz');
insert into kinds values (1, 'The same'), (2, 'Audio');
insert into tracks values (1, 1, 1);
`
const Genre = model('genre', { name: z.string(), hash: hash() })
const Kind = model('kind', { name: z.string(), hash: hash() })
const Track = model('track', {
  genre: toOne('genre', { optional: true, column: 'genre_id', onDelete: 'set-null' }),
  kind: toOne('kind', { optional: true, column: 'kind_id', onDelete: 'set-null' }),
  hash: hash(),
})

/** `type/id` of resources. */
const identifiers = (resources: unknown) =>
  (resources as readonly { type: string; id: string }[]).map(({ type, id }) => `${type}/${id}`)

describeTables('Equal rows of two tables', ({ serve, sql }) => {
  it('are items of their own models under JSON:API, in pages and includes', async () => {
    await sql(schema)
    const { api } = serve([Genre, Kind, Track], { policy: jsonApi(), manage: false })
    for (const path of ['genres', 'kinds', 'genres']) {
      const paged = await api.get(`/${path}?page[size]=5`)
      expect(identifiers(paged.at('/data'))).toEqual([`${path}/1`, `${path}/2`])
      expect(paged.at('/data/0/links/self')).toMatch(new RegExp(`/${path}/1$`))
      expect((await api.get(`/${path}/1`)).at('/data/type')).toBe(path)
    }
    const included = await api.get('/tracks?page[size]=1&include=genre,kind')
    expect(identifiers(included.at('/included')).toSorted()).toEqual(['genres/1', 'kinds/1'])
  })

  describe.each([
    ['plain REST', rest()],
    ['JSON:API', jsonApi()],
  ])('under %s', (_, policy) => {
    it('have different versions, so that a tag of one matches no other', async () => {
      await sql(schema)
      await sql('delete from tracks')
      const { api } = serve([Genre, Kind], { policy, manage: false })
      const [genre, kind] = [await api.get('/genres/1'), await api.get('/kinds/1')]
      expect(kind.etag).not.toBe(genre.etag)
      expect((await api.get('/kinds/1', { 'if-none-match': genre.etag })).status).toBe(200)
      expect((await api.get('/kinds/1', { 'if-none-match': kind.etag })).status).toBe(304)
      expect((await api.delete('/kinds/1', { 'if-match': genre.etag })).status).toBe(412)
      expect((await api.delete('/kinds/1', { 'if-match': kind.etag })).status).toBe(204)
    })
  })
})
