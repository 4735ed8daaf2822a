import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRouter, field, hash, model, type Router, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../../../../test/support/client.ts'
import { type Database, loadDriver } from '../driver.ts'
import { sqlite } from '../sqlite.ts'

/** As many programs make tables of SQLite. */
const tables = `
create table "Artist" ("ArtistId" INTEGER PRIMARY KEY, "Name" NVARCHAR(120));
create table "Album" (
  "AlbumId" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  "Title" NVARCHAR(160) NOT NULL DEFAULT 'Untitled',
  "Shout" TEXT GENERATED ALWAYS AS (upper("Title")) VIRTUAL,
  "Price" NUMERIC(10,2) CHECK ("Price" >= 0),
  "Released" DATETIME,
  "Live" BOOLEAN,
  "Notes" BLOB,
  "Tags" JSON,
  "ArtistId" INTEGER REFERENCES "Artist" ("ArtistId") ON DELETE RESTRICT
);
create table "Playlist" ("Code" VARCHAR(8) PRIMARY KEY, "Name" TEXT UNIQUE);
create table "PlaylistAlbum" (
  "Code" VARCHAR(8) NOT NULL REFERENCES "Playlist" ("Code") ON DELETE CASCADE,
  "AlbumId" INTEGER NOT NULL REFERENCES "Album" ("AlbumId") ON DELETE CASCADE,
  PRIMARY KEY ("Code", "AlbumId")
);
create view titles as select "AlbumId" as id, "Title" as title from "Album";
create trigger keep before delete on "Artist" when old."Name" = 'Keep' begin select raise(abort, 'kept'); end;
`

const text = (column: string) => field(z.string().optional(), { column })
const Artist = model('artist', { name: text('Name') }, { table: 'Artist', key: 'ArtistId' })
const Album = model(
  'album',
  {
    title: text('Title'),
    shout: field(z.string().optional(), { column: 'Shout', readOnly: true }),
    price: field(z.number().optional(), { column: 'Price' }),
    released: field(z.iso.datetime().optional(), { column: 'Released' }),
    live: field(z.boolean().optional(), { column: 'Live' }),
    tags: field(z.array(z.string()).optional(), { column: 'Tags' }),
    artist: toOne('artist', { optional: true, column: 'ArtistId' }),
    hash: hash(),
  },
  { table: 'Album', key: 'AlbumId' },
)
const Playlist = model(
  'playlist',
  {
    name: field(z.string().optional(), { column: 'Name', unique: true }),
    albums: toMany('album', {
      through: { table: 'PlaylistAlbum', owner: 'Code', target: 'AlbumId' },
    }),
  },
  { table: 'Playlist', key: 'Code' },
)
const Title = model('title', { title: z.string().optional() }, { table: 'titles', readOnly: true })

describe('Tables of SQLite that other programs made', () => {
  let folder: string
  let file: string
  let other: Database
  let router: Router
  let api: Client

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
    file = join(folder, 'music.db')
    other = (await loadDriver()).open(file, { readOnly: false })
    other.exec(tables)
    other.exec("insert into \"Artist\" values (1, 'AC/DC'), (2, 'Accept'), (10, 'Keep')")
    other.exec(
      'insert into "Album" ("AlbumId", "Title", "Price", "Released", "ArtistId") values ' +
        "(1, 'One', 0.99, '2009-01-01 00:00:00', 1), (2, 'Two', 1, '2009-01-01 12:30:00.500', 1), (10, 'Ten', null, null, 2)",
    )
    const store = sqlite(file, { layout: 'tables', durability: 'normal' })
    router = createRouter({ policy: rest(), store, onError: () => {} })
    for (const prepared of [Artist, Album, Playlist, Title]) router.prepare(prepared)
    api = client(router)
  })
  afterEach(async () => {
    other.close()
    await router.close()
    await rm(folder, { recursive: true, force: true })
  })
  const idsAt = async (path: string, key: string) => {
    const page = await api.get(path)
    expect(page.status, page.text).toBe(200)
    return page.ids(key)
  }

  it('are not changed', async () => {
    const schema = () => other.prepare('select sql from sqlite_schema order by name').all([])
    const before = schema()
    await api.post('/albums', { album: { title: 'x' } })
    expect(schema()).toEqual(before)
  })

  it('have numbers as ids, in their order', async () => {
    expect(await idsAt('/albums', 'albums')).toEqual(['1', '2', '10'])
    expect(await idsAt('/albums?filter[id][in]=10,2,abc,01', 'albums')).toEqual(['2', '10'])
    const page = await api.get('/albums?page[limit]=2')
    expect(
      (await api.get(page.link('next')!.replace('http://localhost', ''))).ids('albums'),
    ).toEqual(['10'])
    for (const id of ['abc', '01', '+1', '1.0', '99999999999999999999', '%201'])
      expect((await api.get(`/albums/${id}`)).status, id).toBe(404)
  })

  it('have ids, defaults and values that the file makes', async () => {
    const created = await api.post('/albums', { album: {} })
    expect(created.status, created.text).toBe(201)
    expect(created.at('/album')).toMatchObject({ id: '11', title: 'Untitled', shout: 'UNTITLED' })
    const changed = await api.patch('/albums/11', { album: { title: 'New' } })
    expect(changed.at('/album/shout')).toBe('NEW')
    expect((await api.put('/albums/11', { album: {} })).at('/album/title')).toBe('Untitled')
    expect((await api.post('/albums', { album: { id: 'x' } })).status).toBe(422)
    expect((await api.post('/albums', { album: { price: -1 } })).status).toBe(422)
  })

  it('have date-times as SQLite writes them', async () => {
    expect((await api.get('/albums/2')).at('/album/released')).toBe('2009-01-01T12:30:00.5Z')
    expect(await idsAt('/albums?sort=-released', 'albums')).toEqual(['2', '1', '10'])
    expect(await idsAt('/albums?filter[released]=2009-01-01T12:30:00.500Z', 'albums')).toEqual([
      '2',
    ])
    expect(await idsAt('/albums?filter[released][gt]=2009-01-01T01:00:00Z', 'albums')).toEqual([
      '2',
    ])
    await api.patch('/albums/10', { album: { released: '2010-02-03T04:05:06Z' } })
    expect(other.prepare('select "Released" from "Album" where "AlbumId" = 10').all([])).toEqual([
      ['2010-02-03 04:05:06'],
    ])
  })

  it('have numbers, booleans and JSON in columns of any declared type', async () => {
    const album = { price: 12.5, live: true, tags: ['a', '1'] }
    expect((await api.patch('/albums/1', { album })).at('/album')).toMatchObject(album)
    expect(await idsAt('/albums?filter[price]=12.5', 'albums')).toEqual(['1'])
    expect(await idsAt('/albums?filter[live]=true', 'albums')).toEqual(['1'])
    expect(await idsAt('/albums?filter[tags]=a', 'albums')).toEqual(['1'])
    expect(await idsAt('/albums?sort=price', 'albums')).toEqual(['10', '2', '1'])
  })

  it('have relations over keys of their types', async () => {
    expect(await idsAt('/albums?filter[artist]=1', 'albums')).toEqual(['1', '2'])
    expect(await idsAt('/albums?filter[artist.name]=Accept', 'albums')).toEqual(['10'])
    const created = await api.post('/playlists', { playlist: { id: 'p', albums: ['10', '1'] } })
    expect(created.at('/playlist/albums')).toEqual(['1', '10'])
    expect(await idsAt('/playlists?filter[albums]=10', 'playlists')).toEqual(['p'])
    expect((await api.patch('/albums/1', { album: { artist: '99' } })).status).toBe(422)
    expect((await api.delete('/albums/10')).status).toBeLessThan(300)
    expect((await api.get('/playlists/p')).at('/playlist/albums')).toEqual(['1'])
  })

  it('keep what their rules keep', async () => {
    other.exec(
      'create table reviews (id integer primary key, album integer references "Album" ("AlbumId"))',
    )
    other.exec('insert into reviews values (1, 2)')
    expect((await api.delete('/albums/2')).status).toBe(409)
    expect((await api.delete('/artists/10')).status).toBe(409)
    await api.post('/playlists', { playlist: { id: 'p', name: 'Best' } })
    expect((await api.post('/playlists', { playlist: { id: 'q', name: 'Best' } })).status).toBe(409)
    expect((await api.post('/playlists', { playlist: { id: 'p' } })).status).toBe(409)
  })

  it('may have foreign keys that wait for the commit', async () => {
    other.exec(
      'create table covers (id integer primary key, album integer references "Album" ("AlbumId") deferrable initially deferred)',
    )
    other.exec('insert into covers values (1, 2)')
    expect((await api.delete('/albums/2')).status).toBe(409)
    expect((await api.get('/albums/2')).status).toBe(200)
  })

  it('show what another program changed, with another version', async () => {
    const { etag } = await api.get('/albums/1')
    other.exec('update "Album" set "Price" = 5 where "AlbumId" = 1')
    const change = { album: { title: 'Mine' } }
    expect((await api.patch('/albums/1', change, { 'if-match': etag })).status).toBe(412)
    const now = await api.get('/albums/1')
    expect((await api.patch('/albums/1', change, { 'if-match': now.etag })).status).toBe(200)
  })

  it('may be views, which are only read', async () => {
    expect(await idsAt('/titles?sort=title', 'titles')).toEqual(['1', '10', '2'])
    expect((await api.get('/titles/2')).at('/title/title')).toBe('Two')
    for (const response of [
      await api.post('/titles', { title: { id: '3', title: 'x' } }),
      await api.patch('/titles/1', { title: { title: 'x' } }),
      await api.delete('/titles/1'),
    ])
      expect(response.status, response.text).toBe(405)
  })

  it.each(['numeric', 'DECIMAL(10, 0)'])(
    'may have whole numbers of the type %s for ids, and rows with others are no items',
    async (type) => {
      other.exec(`create table rates (id ${type} primary key not null, name text)`)
      other.exec(
        "insert into rates values (1, 'a'), (1.5, 'b'), ('x', 'c'), (x'00', 'd'), (2, 'e')",
      )
      const Rate = model('rate', { name: z.string().optional() })
      const store = sqlite(file, { layout: 'tables', durability: 'normal' })
      const ratesRouter = createRouter({ policy: rest(), store, onError: () => {} })
      onTestFinished(() => ratesRouter.close())
      ratesRouter.prepare(Rate)
      const rates = client(ratesRouter)
      const list = await rates.get('/rates')
      expect(list.ids('rates')).toEqual(['1', '2'])
      expect(await ratesRouter.query(Rate).size()).toBe(2)
      for (const id of ['1', '2']) expect((await rates.get(`/rates/${id}`)).status).toBe(200)
      for (const id of ['1.5', 'x', '1.0', '%00'])
        expect((await rates.get(`/rates/${id}`)).status).toBe(404)
      expect((await rates.get('/rates?filter[id][gt]=1')).ids('rates')).toEqual(['2'])
      expect((await rates.put('/rates/1', { rate: { name: 'A' } })).status).toBe(200)
      expect((await rates.delete('/rates/2')).status).toBe(204)
      expect((await rates.post('/rates', { rate: { id: '3', name: 'f' } })).status).toBe(201)
      expect(other.prepare('select name from rates order by name').all([])).toEqual(
        ['A', 'b', 'c', 'd', 'f'].map((name) => [name]),
      )
    },
  )

  it('have no filter that is 5xx', async () => {
    for (const name of ['id', 'title', 'price', 'released', 'live', 'artist'])
      for (const value of [
        'x',
        '',
        '1',
        '-1',
        '1e400',
        '0.5',
        '99999999999999999999',
        '2024-13-45',
      ])
        for (const operator of ['eq', 'ne', 'lt', 'gte', 'in', 'contains'])
          expect(
            (await api.get(`/albums?filter[${name}][${operator}]=${value}`)).status,
            `${name} ${operator} ${value}`,
          ).toBeLessThan(500)
  })
})
