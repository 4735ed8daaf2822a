import { createRouter, model } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { postgres } from 'resourcery/postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'

const mediaType = 'application/vnd.api+json'
const fields = { title: z.string() }

describePostgres('A cursor of another list', () => {
  let database: TestDatabase
  let api: Client
  let close: () => Promise<void>
  let cursor: string

  beforeAll(async () => {
    database = await newDatabase()
    const server = await sharedServer()
    const statements = [
      'create table films (id uuid primary key default gen_random_uuid(), title text not null)',
      'create table songs (id integer primary key, title text not null)',
      'create table roles (film integer, actor integer, title text not null, primary key (film, actor))',
      "insert into films (title) values ('a'), ('b')",
      "insert into songs values (1, 'a'), (2, 'b')",
      "insert into roles values (1, 1, 'a'), (1, 2, 'b')",
    ]
    for (const statement of statements) await server.run(statement, [], database.name)
    const router = createRouter({ policy: jsonApi(), store: postgres(database.url) })
    router.prepare(model('film', fields))
    router.prepare(model('song', fields))
    router.prepare(model('role', fields, { key: ['film', 'actor'] }))
    close = () => router.close()
    api = client(router, undefined, mediaType)
    cursor = await cursorOfTextIds()
  }, 120_000)
  afterAll(async () => {
    await close?.()
    await database?.drop()
  })

  it.each(['films', 'songs', 'roles'])('is a 400 for the list of %s', async (list) => {
    for (const address of [
      `/${list}?page[size]=1&page[after]=${cursor}`,
      `/${list}?page[size]=1&page[before]=${cursor}`,
      `/${list}?page[size]=900&page[after]=${cursor}`,
    ]) {
      const response = await api.get(address)
      expect([response.status, response.at('/errors/0/code')]).toEqual([400, 'invalid-cursor'])
    }
    expect((await api.get(`/${list}?page[size]=1`)).ids('data').length).toBe(1)
  })
})

async function cursorOfTextIds(): Promise<string> {
  const router = createRouter({ policy: jsonApi(), store: memory() })
  router.prepare(model('note', fields, { ids: 'client' }))
  const notes = client(router, undefined, mediaType)
  for (const id of ['x', 'y'])
    await notes.post('/notes', { data: { type: 'notes', id, attributes: { title: 'a' } } })
  const next = (await notes.get('/notes?page[size]=1')).at('/links/next') as string
  return new URL(next, 'http://localhost').searchParams.get('page[after]')!
}

describePostgres('A database with another encoding than UTF8', () => {
  it('is refused at start', async () => {
    const server = await sharedServer()
    const name = `latin_${process.pid}`
    await server.run(
      `create database ${name} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`,
    )
    const router = createRouter({ policy: jsonApi(), store: postgres(server.url(name)) })
    router.prepare(model('film', fields))
    try {
      await expect(router.open()).rejects.toThrow('The encoding of the database is LATIN1')
    } finally {
      await router.close()
      await server.run(`drop database ${name} with (force)`)
    }
  })
})
