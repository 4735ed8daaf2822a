import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { schemaChanges } from '../../../test/support/postgres/statement-log.ts'
import { field } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'
import { toMany } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { postgres } from '../../store/postgres/postgres-store.ts'
import { planText } from './plan-command.ts'

describePostgres('The printed statements of a plan', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase({ logsStatements: true })
  }, 120_000)
  afterAll(() => database?.drop())

  const Label = model('label', { name: field(z.string(), { unique: true }) })
  const Note = model('note', { text: z.string(), labels: toMany('label') })
  const Memo = model('memo', { text: z.string(), labels: toMany('label') }, { was: 'note' })

  const runPlan = async (models: readonly AnyModel[]) => {
    const store = postgres(database.url, { maxConnections: 1 })
    const described = describeModels([...models])
    try {
      const script = planText(await store.admin!.plan!(described), true)
      await (await sharedServer()).run(script, [], database.name)
      expect(await store.admin!.plan!(described)).toEqual([])
      const before = schemaChanges(await database.statements())
      await store.open(described)
      expect(schemaChanges(await database.statements())).toEqual(before)
    } finally {
      await store.close()
    }
    return describeTables()
  }
  const describeTables = async () => {
    const rows = await (await sharedServer()).run(
      "select table_name from information_schema.tables where table_schema = 'public' order by 1",
      [],
      database.name,
    )
    return rows.map(({ table_name: name }) => name)
  }

  it('make the tables, which the store changes afterwards as its own', async () => {
    expect(await runPlan([Label, Note])).toEqual([
      'labels',
      'notes',
      'notes_labels',
      'resourcery_settings',
    ])
    expect(await runPlan([Label, Memo])).toEqual([
      'labels',
      'memos',
      'memos_labels',
      'resourcery_settings',
    ])
  })

  it('make what a log of changes needs in tables of another program', async () => {
    const sql = async (text: string) => (await sharedServer()).run(text, [], database.name)
    await sql('create table offers (id integer primary key, price numeric not null)')
    const Offer = model(
      'offer',
      { price: z.string() },
      { table: 'offers', changes: { capture: 'triggers' } },
    )
    const store = postgres(database.url, { manage: false })
    const described = describeModels([Offer])
    try {
      const steps = await store.admin!.plan!(described, { keepsChanges: true })
      const script = planText(steps, true)
      expect(script).toMatch(/^-- refused: The table 'resourcery_changes', /)
      await sql(script)
      await store.open(described, { keepsChanges: true })
      expect(await store.admin!.plan!(described)).toEqual([])
      expect(store.changes!.areKept()).toBe(true)
    } finally {
      await store.close()
    }
  })
})
