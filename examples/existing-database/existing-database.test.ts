import { readFileSync } from 'node:fs'
import type { Router } from 'resourcery'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, client } from '../../test/support/client.ts'
import { describePostgres } from '../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../test/support/postgres/shared-server.ts'
import { FilmArchive } from './other-program.ts'
import { filmService } from './service.ts'

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8')

describePostgres('A service beside a program that uses Kysely', () => {
  let database: TestDatabase
  let archive: FilmArchive
  let router: Router
  let api: Client

  beforeAll(async () => {
    database = await newDatabase()
    await (await sharedServer()).run(schema, [], database.name)
    archive = new FilmArchive(database.url)
    router = filmService(database.url)
    api = client(router)
  }, 120_000)
  afterAll(async () => {
    await router?.close()
    await archive?.close()
    await database?.drop()
  })

  it('shows a row of the program at once', async () => {
    const film = await archive.addFilm('The Third Man', 1948)
    const { status, body } = await api.get(`/films/${film}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ film: { title: 'The Third Man', year: 1948, actors: [] } })
  })

  it('refuses a change of a film that the program has changed in the meantime', async () => {
    const film = await archive.addFilm('Vertigo', 1957)
    const read = await api.get(`/films/${film}`)
    await archive.setYear(film, 1958)
    const now = await api.get(`/films/${film}`)
    expect(now.etag).not.toBe(read.etag)
    const change = (etag: string) =>
      api.patch(`/films/${film}`, { film: { title: 'Vertigo!' } }, { 'If-Match': etag })
    expect((await change(read.etag)).status).toBe(412)
    expect(await archive.findFilm(film)).toMatchObject({ title: 'Vertigo', year: 1958 })
    expect((await change(now.etag)).status).toBe(200)
    expect(await archive.findFilm(film)).toMatchObject({ title: 'Vertigo!', year: 1958 })
  })

  it('counts a new actor of a film as a change of the film', async () => {
    const film = await archive.addFilm('Casablanca', 1942)
    const before = await api.get(`/films/${film}`)
    await archive.addActor(film, await archive.addPerson('Ingrid Bergman'))
    const after = await api.get(`/films/${film}?include=actors`)
    expect(after.etag).not.toBe(before.etag)
    expect(after.body).toMatchObject({ people: [{ name: 'Ingrid Bergman' }] })
    const deletion = await api.delete(`/films/${film}`, { 'If-Match': before.etag })
    expect(deletion.status).toBe(412)
  })

  it('writes rows that the program reads', async () => {
    const actor = await archive.addPerson('Orson Welles')
    const created = await api.post('/films', {
      film: { title: 'Citizen Kane', year: 1941, actors: [String(actor)] },
    })
    expect(created.status).toBe(201)
    expect(await archive.findFilm(Number(created.at('/film/id')))).toEqual({
      title: 'Citizen Kane',
      year: 1941,
      actors: ['Orson Welles'],
    })
  })
})
