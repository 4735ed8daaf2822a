import { createRouter, hash, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

const Port = model('port', {
  name: z.string(),
  traffic: z.int().optional(),
  depths: z.array(z.int32()),
  draught: z.number().max(3.4e38),
  opened: z.iso.datetime(),
  hash: hash(),
})

/** Responses show no other member, because these do not fit the document. */
const address = '/ports/a?fields[ports]=name'

describePostgres('A row with values that its schema does not accept', () => {
  it('is changed in its other columns, and keeps the values', async () => {
    const database = await newDatabase()
    onTestFinished(() => database.drop())
    const server = await sharedServer()
    const sql = (text: string) => server.run(text, [], database.name)
    await sql(
      'create table ports (id text primary key, name text not null, traffic bigint, depths integer[] not null, draught real not null, opened timestamptz not null)',
    )
    await sql(
      "insert into ports values ('a', 'A', 9007199254740993, '{12,15,null}', 3.4028235e38, '2024-05-01T12:00:00.123456Z')",
    )
    const router = createRouter({ policy: rest(), store: postgres(database.url) })
    router.prepare(Port)
    onTestFinished(() => router.close())
    const api = client(router)
    const before = await sql('select * from ports')
    expect((await api.patch(address, { port: { name: 'K' } })).status).toBe(200)
    expect(await sql('select * from ports')).toEqual([
      { ...(before as readonly object[])[0], name: 'K' },
    ])
    expect((await api.patch(address, { port: { draught: 3.4028235e38 } })).status).toBe(422)
    expect((await api.patch(address, { port: { depths: [1], draught: 2 } })).status).toBe(200)
  })
})
