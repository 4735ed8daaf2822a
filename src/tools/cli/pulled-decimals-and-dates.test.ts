import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Router } from 'resourcery'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, client } from '../../../test/support/client.ts'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { type Pulled, pull } from '../pull/pull.ts'
import { writeNewFiles } from './pull-command.ts'

const schema = `
create domain amount as numeric(6, 3);
create table entries (
  id text primary key,
  total numeric(10, 2) not null,
  tax amount,
  fee numeric(4, 1) default 1.5,
  price numeric(6, 2) not null default 1 check (price >= 0),
  exact numeric,
  rounded numeric(4, -2),
  day date,
  begins timestamptz,
  created_at timestamptz not null default now(),
  local timestamp
);
insert into entries (id, total, tax, day, begins) values
  ('a', 9.5, 0.125, '2024-05-01', '2024-05-01 10:00:00.250+02'),
  ('b', 10, null, 'infinity', 'infinity'),
  ('c', -3, 1, '0044-03-15 BC', '0044-03-15 12:00:00+00 BC'),
  ('d', 99.99, 1, null, '2024-05-01 08:00:00.000001+00');
`

describePostgres('Pulled decimals and dates', () => {
  let database: TestDatabase
  let folder: string
  let pulled: Pulled
  let router: Router
  let api: Client

  beforeAll(async () => {
    database = await newDatabase()
    await (await sharedServer()).run(schema, [], database.name)
    folder = temporaryFolder('pulled')
    pulled = await pull(database.url, undefined)
    writeNewFiles(folder, pulled.files)
    process.env.DATABASE_URL = database.url
    router = (await import(join(folder, 'index.ts'))).router
    await router.open()
    api = client(router)
  }, 120_000)
  afterAll(async () => {
    await router?.close()
    rmSync(folder, { recursive: true, force: true })
    await database?.drop()
  })

  it('are schemas of resourcery, where these say as much as the columns', () => {
    const [imports, ...lines] = pulled.files.get('entry.ts')!.split('\n')
    expect(imports).toBe("import { date, dateTime, decimal, hash, model } from 'resourcery'")
    expect(lines.filter((line) => line.startsWith('    '))).toEqual([
      '    total: decimal(10, 2),',
      '    tax: decimal(6, 3, { nullable: true, default: null }),',
      '    fee: decimal(4, 1, { nullable: true, optional: true }),',
      String.raw`    price: z.string().regex(/^\d{1,4}(\.\d{1,2})?$/).optional(),`,
      String.raw`    exact: z.string().regex(/^-?\d+(\.\d+)?$/).nullable().default(null),`,
      String.raw`    rounded: z.string().regex(/^-?\d{1,6}$/).nullable().default(null),`,
      '    day: date({ nullable: true, default: null }),',
      '    begins: dateTime({ nullable: true, default: null }),',
      '    createdAt: dateTime({ optional: true }),',
      '    local: z.iso.datetime({ offset: true }).nullable().default(null),',
      '    hash: hash(),',
    ])
  })

  it('show null for dates that they cannot hold, and keep them until a client sets them', async () => {
    const { body } = await api.get('/entries?fields[entries]=day,begins,total')
    expect((body as { entries: object[] }).entries).toEqual([
      { id: 'a', total: '9.50', day: '2024-05-01', begins: '2024-05-01T08:00:00.25Z' },
      { id: 'b', total: '10.00', day: null, begins: null },
      { id: 'c', total: '-3.00', day: null, begins: null },
      { id: 'd', total: '99.99', day: null, begins: '2024-05-01T08:00:00.000001Z' },
    ])
    expect((await api.patch('/entries/b', { entry: { total: '11' } })).status).toBe(200)
    const row = await (await sharedServer()).run(
      "select day::text || begins::text as dates from entries where id = 'b'",
      [],
      database.name,
    )
    expect(JSON.stringify(row)).toContain('infinityinfinity')
    const changed = await api.patch('/entries/b', {
      entry: { begins: '2024-05-01T10:00:00+02:00' },
    })
    expect(changed.at('/entry/begins')).toBe('2024-05-01T08:00:00Z')
  })

  it('compare as numbers and instants', async () => {
    const list = async (query: string) => (await api.get(`/entries?${query}`)).ids('entries')
    expect(await list('filter[total]=9.5')).toEqual(['a'])
    expect(await list('filter[total][lt]=9.5')).toEqual(['c'])
    expect(await list('filter[begins]=2024-05-01T10:00:00.25%2B02:00')).toEqual(['a'])
  })

  it('are written in their canonical form, and refused with more digits', async () => {
    const entry = { id: 'n', total: '1.5', begins: '2024-05-01T10:00:00+02:00' }
    const created = await api.post('/entries', { entry })
    expect(created.status, created.text).toBe(201)
    expect(created.at('/entry/total')).toBe('1.50')
    expect(created.at('/entry/fee')).toBe('1.5')
    expect((await api.patch('/entries/n', { entry: { total: '1.505' } })).status).toBe(422)
  })
})
