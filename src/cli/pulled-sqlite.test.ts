import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Router } from 'resourcery'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { client } from '../../test/support/client.ts'
import { compilerOutput } from '../../test/support/compiler-output.ts'
import { temporaryFolder } from '../../test/support/documentation.ts'
import { type Pulled, pull } from '../pull/pull.ts'
import { loadDriver } from '../store/sqlite/driver.ts'
import { writeNewFiles } from './pull-command.ts'

let folder: string
let pulled: Pulled
let router: Router

beforeAll(async () => {
  folder = temporaryFolder('pulled')
  const file = join(folder, 'shop.db')
  const database = (await loadDriver()).open(file, { readOnly: false })
  database.exec(`
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
    insert into artists values (1, 'AC/DC');
    insert into albums values (1, 'Let There Be Rock', 1), (4, 'Powerage', 1);
    insert into tags values ('rock');
    insert into album_tag values (1, 'rock');
  `)
  database.close()
  pulled = await pull(`sqlite:${file}`, undefined)
  writeNewFiles(join(folder, 'models'), pulled.files)
  process.env.DATABASE_FILE = file
})
afterAll(async () => {
  await router?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('models of an SQLite file compile and serve it', async () => {
  expect(pulled.files.get('album.ts')).toContain(`
    title: field(z.string().max(160), { column: 'Title' }),
    artist: toOne('artist', { column: 'ArtistId', onDelete: 'restrict' }),
    tags: toMany('tag', { through: { table: 'album_tag', owner: 'album', target: 'tag' } }),
`)
  expect(compilerOutput(pulled.files)).toBe('')
  const module = await import(join(folder, 'models', 'index.ts'))
  router = module.router
  const api = client(router)
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
