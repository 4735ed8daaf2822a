import { createRouter } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { sqlite } from 'resourcery/sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client } from '../../../test/support/client.ts'
import { compilerOutput } from '../../../test/support/compiler-output.ts'
import { type PulledService, pulledService } from '../../../test/support/pulled-sqlite.ts'

let service: PulledService

beforeAll(async () => {
  service = await pulledService(`
    create table contacts (id integer primary key, type text not null unique, contact_type text);
    create table kinds (id integer primary key, name text);
    create table boats (id integer primary key, type_id integer references kinds (id), mark text);
    create table tickets (id integer primary key, type text not null, number integer not null);
    create unique index ticket_numbers on tickets (type, number);
    create table operations (id integer primary key, name text);
    insert into contacts values (1, 'new', 'old');
    insert into kinds values (1, 'tug');
    insert into boats values (1, 1, 'x');
    insert into tickets values (1, 'day', 7);
    insert into operations values (1, 'first');
  `)
})
afterAll(() => service?.close())

it('are written with a name for clients that no other field has', () => {
  const { files } = service
  expect(files.get('contact.ts')).toContain(
    `    // JSON:API reserves the name 'type', so clients see 'typeName'.
    type: field(z.string(), { wire: 'typeName', column: 'type', unique: true }),`,
  )
  expect(files.get('boat.ts')).toContain("{ wire: 'boatType', optional: true, column: 'type_id'")
  expect(files.get('operation.ts')).toContain("plural: 'operationItems'")
  expect(compilerOutput(files)).toBe('')
}, 60_000)

it('start and serve the same names under both policies', async () => {
  const { api, models, url } = service
  const store = sqlite(url, { layout: 'tables', manage: false })
  const router = createRouter({ policy: jsonApi(), store })
  for (const model of models) router.prepare(model)
  await router.open()
  try {
    const other = client(router)
    const attributes = { typeName: 'new', contactType: 'old' }
    expect((await other.get('/contacts/1')).at('/data/attributes')).toMatchObject(attributes)
    expect((await api.get('/contacts/1')).at('/contact')).toMatchObject(attributes)
    const linkage = '/data/relationships/boatType/data/id'
    expect((await other.get('/boats/1?include=boatType')).at(linkage)).toBe('1')
    expect((await api.get('/boats/1')).at('/boat/boatType')).toBe('1')
    expect((await api.get('/kinds/1?include=boats')).ids('boats')).toEqual(['1'])
    expect((await api.get('/tickets?filter[ticketType]=day')).ids('tickets')).toEqual(['1'])
    const ticket = { ticketType: 'day', number: 7 }
    expect((await api.post('/tickets', { ticket })).status).toBe(409)
    expect((await other.get('/operationItems/1')).status).toBe(200)
  } finally {
    await router.close()
  }
})
