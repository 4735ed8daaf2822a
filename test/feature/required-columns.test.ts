import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { type AnyModel, field, model, type Store } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { sqlite } from 'resourcery/sqlite'
import { describeModels } from 'resourcery/store'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase, sharedServer } from '../support/postgres/shared-server.ts'
import { service } from '../support/service.ts'

interface Data {
  newStore(): Store
  run(sql: string): Promise<unknown>
  /** What an earlier version of the package left undone. */
  readonly allowNull: readonly string[]
  readonly isRemote: boolean
}

const folder = mkdtempSync(join(tmpdir(), 'required-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let fileCount = 0

function sqliteData(): Data {
  const path = join(folder, `${fileCount++}.db`)
  const run = async (sql: string) => {
    const file = new DatabaseSync(path)
    try {
      return file.prepare(sql).all()
    } finally {
      file.close()
    }
  }
  return {
    newStore: () => sqlite(path, { layout: 'tables' }),
    run,
    get allowNull() {
      const file = new DatabaseSync(path)
      const triggers = file.prepare("select name from sqlite_schema where type = 'trigger'").all()
      file.close()
      return (triggers as { name: string }[]).map(({ name }) => `drop trigger "${name}"`)
    },
    isRemote: false,
  }
}

async function postgresData(): Promise<Data> {
  const database = await newDatabase()
  onTestFinished(() => database.drop())
  return {
    newStore: () => postgres(database.url, { maxConnections: 2, idleTimeoutMs: 500 }),
    run: async (sql) => (await sharedServer()).run(sql, [], database.name),
    allowNull: ['alter table patients alter column insurance drop not null'],
    isRemote: true,
  }
}

const Insurance = z.enum(['public', 'private'])
const Before = model('patient', { name: z.string() })
const After = model('patient', {
  name: z.string(),
  insurance: field(Insurance, { backfill: () => 'public' }),
})
const Without = model('patient', { name: z.string(), insurance: Insurance })

function requiredColumns(makeData: () => Data | Promise<Data>): void {
  const dataOf = async () => {
    const data = await makeData()
    const start = (patient: AnyModel) => {
      const started = service(data.newStore(), [patient])
      onTestFinished(() => started.router.close())
      return started
    }
    const old = start(Before)
    await old.api.post('/patients', { patient: { id: 'a', name: 'A' } })
    return { data, start, old }
  }

  it('requires a value once it is filled in, so that old processes respond with 503', async () => {
    const { data, start, old } = await dataOf()
    const next = start(After)
    const plan = await next.router.plan()
    expect(plan?.at(-1)).toMatchObject({
      kind: data.isRemote ? 'online' : 'instant',
      summary: "Require a value in the column 'insurance' of 'patients'.",
      endsOldProcesses: true,
    })
    expect((await next.api.get('/patients/a')).at('/patient/insurance')).toBe('public')
    const refused = await old.api.post('/patients', { patient: { id: 'b', name: 'B' } })
    expect(refused.status).toBe(503)
    expect(refused.at('/errors/0/code')).toBe('store-unavailable')
    expect((await old.api.get('/patients/a')).status).toBe(200)
    expect((await old.api.patch('/patients/a', { patient: { name: 'A2' } })).status).toBe(200)
    const created = { id: 'c', name: 'C', insurance: 'private' }
    expect((await next.api.post('/patients', { patient: created })).status).toBe(201)
    await expect(data.run("update patients set insurance = null where id = 'c'")).rejects.toThrow()
    expect(await start(After).router.plan()).toEqual([])
  })

  it('is filled in again where it allowed NULL', async () => {
    const { data, start } = await dataOf()
    const first = start(After)
    await first.router.open()
    await first.router.close()
    for (const sql of data.allowNull) await data.run(sql)
    await data.run('update patients set insurance = null')

    const refused = start(Without)
    const fault =
      "The field 'insurance' of the model 'patient' requires a value, but 1 item has none: a. Give it a default, make it optional, fill it in with { backfill: (old) => … }, or allow these items with { missing: 'allow' }."
    expect(await refused.router.plan()).toContainEqual({ kind: 'refused', summary: fault })
    await expect(refused.router.open()).rejects.toThrow(fault)

    const second = start(After)
    expect((await second.router.plan())?.map(({ kind }) => kind)).toContain('rewrite')
    expect((await second.api.get('/patients/a')).at('/patient/insurance')).toBe('public')
    await expect(data.run('update patients set insurance = null')).rejects.toThrow()
    expect(await start(Without).router.plan()).toEqual([])
  })

  it('is free again for a version without the field, and filled in by the next one', async () => {
    const { start, old } = await dataOf()
    await start(After).router.open()
    await old.router.close()
    const back = start(Before)
    expect((await back.api.post('/patients', { patient: { id: 'b', name: 'B' } })).status).toBe(201)
    await back.router.close()
    const again = start(After)
    expect((await again.api.get('/patients/b')).at('/patient/insurance')).toBe('public')
  })

  it('is added anew once a deploy that was given up is pruned, with its log of changed ids', async () => {
    const { data, start, old } = await dataOf()
    let fails = true
    const Failing = model('patient', {
      name: z.string(),
      insurance: field(z.string(), {
        backfill: ({ id, name }) => {
          if (fails && id === 'z') throw new Error('There is no insurance.')
          return `for ${name}`
        },
      }),
    })
    await old.api.post('/patients', { patient: { id: 'z', name: 'Z' } })
    await expect(start(Failing).router.open()).rejects.toThrow('There is no insurance.')
    await old.api.patch('/patients/a', { patient: { name: 'A2' } })
    await old.api.post('/patients', { patient: { id: 'b', name: 'B' } })
    await old.api.delete('/patients/b')
    const logged = await data.run('select id from patients_changes order by id')
    // Rows of PostgreSQL that are deleted stay in the log.
    expect(logged).toMatchObject([{ id: 'a' }, ...(data.isRemote ? [{ id: 'b' }] : [])])
    await old.router.close()

    const store = data.newStore()
    const pruned = await store.admin!.prune!(describeModels([Before]), { drops: true })
    expect(pruned).toMatchObject([{ name: 'insurance' }])
    await store.close()
    await expect(data.run('select id from patients_changes')).rejects.toThrow()
    const back = start(Before)
    await back.api.patch('/patients/a', { patient: { name: 'A3' } })
    fails = false
    const next = start(Failing)
    expect((await next.api.get('/patients/a')).at('/patient/insurance')).toBe('for A3')
    expect((await next.api.get('/patients/z')).at('/patient/insurance')).toBe('for Z')
  })

  it('keeps its requirement under new names, until the field is optional', async () => {
    const { start } = await dataOf()
    await start(After).router.open()
    const fields = { name: z.string(), cover: field(Insurance, { was: 'insurance' }) }
    const former = start(model('person', fields, { was: 'patient', plural: 'persons' }))
    expect((await former.api.get('/persons/a')).at('/person/cover')).toBe('public')
    const Renamed = model(
      'person',
      {
        name: z.string(),
        cover: Insurance,
        insurance: field(z.string(), { backfill: () => 'new' }),
      },
      { plural: 'persons' },
    )
    const renamed = start(Renamed)
    expect((await renamed.api.get('/persons/a')).at('/person')).toMatchObject({
      cover: 'public',
      insurance: 'new',
    })
    expect(await start(Renamed).router.plan()).toEqual([])
    const Optional = model(
      'person',
      { name: z.string(), cover: Insurance.optional(), insurance: z.string().optional() },
      { plural: 'persons' },
    )
    const optional = start(Optional)
    expect((await optional.api.post('/persons', { person: { name: 'B' } })).status).toBe(201)
  })
}

describe('The column of a required field, in tables of SQLite', () => requiredColumns(sqliteData))
describePostgres('The column of a required field, in PostgreSQL', () =>
  requiredColumns(postgresData),
)
