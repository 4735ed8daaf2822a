import { afterAll, beforeAll, expect, test } from 'vitest'
import { compilerOutput } from '../../../test/support/compiler-output.ts'
import { type PulledService, pulledService } from '../../../test/support/pulled-sqlite.ts'

let service: PulledService

beforeAll(async () => {
  service = await pulledService(`
    create table artists (ArtistId integer primary key not null, Name nvarchar(120));
    create table albums (
      AlbumId integer primary key not null,
      Title nvarchar(160) not null,
      ArtistId integer not null references artists (ArtistId)
    );
    create table tags (name text primary key not null);
    create table album_tag (
      album integer not null references albums (AlbumId),
      tag text not null references tags (name),
      primary key (album, tag)
    );
    create table actors (actor_id numeric not null, name varchar(45) not null, primary key (actor_id));
    create table roles (
      id integer primary key not null,
      actor_id numeric not null references actors (actor_id)
    );
    insert into actors values (7, 'Ann');
    insert into roles values (1, 7);
    insert into artists values (1, 'AC/DC');
    insert into albums values (1, 'Let There Be Rock', 1), (4, 'Powerage', 1);
    insert into tags values ('rock');
    insert into album_tag values (1, 'rock');
  `)
})
afterAll(() => service?.close())

test('models of an SQLite file compile and serve it', async () => {
  const { api, files } = service
  expect(files.get('album.ts')).toContain(`
    title: field(z.string().max(160), { column: 'Title' }),
    artist: toOne('artist', { column: 'ArtistId', onDelete: 'restrict' }),
    tags: toMany('tag', { through: { table: 'album_tag', owner: 'album', target: 'tag' } }),
`)
  expect(compilerOutput(files)).toBe('')
  const album = await api.get('/albums/1')
  expect(album.body).toMatchObject({
    album: { id: '1', title: 'Let There Be Rock', artist: '1', tags: ['rock'] },
  })
  expect((await api.get('/albums?filter[artist]=1&include=artist')).ids('albums')).toEqual([
    '1',
    '4',
  ])
  expect((await api.get('/tags/rock?include=albums')).ids('albums')).toEqual(['1'])
  const change = { album: { title: 'x', tags: [] } }
  expect((await api.patch('/albums/1', change, { 'If-Match': '"old"' })).status).toBe(412)
  expect((await api.patch('/albums/1', change, { 'If-Match': album.etag })).body).toMatchObject({
    album: { title: 'x', tags: [] },
  })
}, 60_000)

test('ids may be whole numbers in a column that is declared as numeric', async () => {
  const { api } = service
  expect((await api.get('/actors/7?include=roles')).body).toMatchObject({
    actor: { id: '7', name: 'Ann' },
    roles: [{ id: '1', actor: '7' }],
  })
  expect((await api.post('/actors', { actor: { id: '8', name: 'Bob' } })).status).toBe(201)
  expect((await api.post('/actors', { actor: { id: '8', name: 'Cy' } })).status).toBe(409)
  expect((await api.post('/roles', { role: { actor: '8' } })).body).toMatchObject({
    role: { actor: '8' },
  })
  expect((await api.get('/roles?filter[actor]=8')).ids('roles')).toEqual(['2'])
  expect((await api.get('/actors/8.0')).status).toBe(404)
})
