import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { field } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'
import { toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { postgres } from './postgres-store.ts'

describePostgres('Rows that a new rule of a table refuses', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  }, 120_000)
  afterEach(() => sql('drop schema public cascade; create schema public'))
  afterAll(() => database?.drop())
  const sql = async (text: string) => (await sharedServer()).run(text, [], database.name)
  const open = async (...models: AnyModel[]) => {
    const store = postgres(database.url, { maxConnections: 1 })
    await store.open(describeModels(models)).finally(() => store.close())
  }
  const refusals = async (...models: AnyModel[]) => {
    const store = postgres(database.url, { maxConnections: 1 })
    const steps = await store.admin!.plan!(describeModels(models)).finally(() => store.close())
    return steps.flatMap((step) => (step.kind === 'refused' ? [step.summary] : []))
  }

  it('are counted by the plan, and keep a start from changing anything', async () => {
    const Tree = model('tree', {})
    await open(model('plant', { code: z.string(), tree: z.string().optional() }), Tree)
    await sql(`
      insert into trees values ('t');
      insert into plants (id, code, tree) select 'p-' || n, n / 2, 'none' from generate_series(0, 6) n;
      update plants set tree = 't' where id = 'p-0';
      update plants set tree = null where id = 'p-1';
    `)
    const Plant = model('plant', {
      code: field(z.string(), { unique: true }),
      tree: toOne('tree', { optional: true, column: 'tree' }),
      height: z.int().optional(),
    })
    const expected = [
      "The field 'code' of the model 'plant' is unique, but 6 items have the same value as another one: p-0, p-1, p-2, p-3, p-4, ….",
      "The relation 'tree' of the model 'plant' leads to 'trees', but 5 items have an id there that does not exist: p-2, p-3, p-4, p-5, p-6.",
    ]
    expect(await refusals(Plant, Tree)).toEqual(expected)
    await expect(open(Plant, Tree)).rejects.toThrow(new RegistrationError(expected.join('\n')))
    await expect(sql('select height from plants')).rejects.toThrow('does not exist')

    await sql("update plants set code = id, tree = case id when 'p-3' then 'none' end")
    expect(await refusals(Plant, Tree)).toEqual([
      "The relation 'tree' of the model 'plant' leads to 'trees', but 1 item has an id there that does not exist: p-3.",
    ])
    await sql("delete from plants where id = 'p-3'")
    expect(await refusals(Plant, Tree)).toEqual([])
    await open(Plant, Tree)
    await expect(sql("insert into plants (id, code) values ('p', 'p-0')")).rejects.toThrow('unique')
    await expect(
      sql("insert into plants (id, code, tree) values ('p', 'p', 'none')"),
    ).rejects.toThrow('foreign key')
  })

  it('are counted by the names that tables and columns had before', async () => {
    await open(model('plant', { code: z.string() }))
    await sql("insert into plants values ('a', '1'), ('b', '1')")
    const Flower = model(
      'flower',
      {
        number: field(z.string(), { unique: true, was: 'code' }),
        color: field(z.string().default('red'), { unique: true }),
      },
      { was: 'plant' },
    )
    const expected = [
      "The field 'number' of the model 'flower' is unique, but 2 items have the same value as another one: a, b.",
      // A new column has its default in all rows.
      "The field 'color' of the model 'flower' is unique, but 2 items have the same value as another one: a, b.",
    ]
    expect(await refusals(Flower)).toEqual(expected)
    await expect(open(Flower)).rejects.toThrow(expected.join('\n'))
    await sql("delete from plants where id = 'b'")
    await open(Flower)
    expect(await sql('select number, color from flowers')).toEqual([{ number: '1', color: 'red' }])
  })
})
