import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { decimal } from '../../model/declare/decimal.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { postgres } from './postgres-store.ts'

describePostgres('Columns of decimal numbers', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  }, 120_000)
  afterAll(() => database?.drop())

  it('have the digits of their field, and are refused for a field that needs others', async () => {
    const store = postgres(database.url, { maxConnections: 1 })
    const priceWith = (precision: number, scale: number) =>
      describeModels([model('price', { amount: decimal(precision, scale) })])
    const planned = async (precision: number, scale: number) => {
      const steps = await store.admin!.plan!(priceWith(precision, scale))
      return steps.map(({ kind, summary }) => `${kind}: ${summary}`)
    }
    try {
      await store.open(priceWith(10, 2))
      const type = await (await sharedServer()).run(
        "select format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'prices'::regclass and attname = 'amount'",
        [],
        database.name,
      )
      expect(JSON.stringify(type)).toContain('numeric(10,2)')
      expect(await planned(8, 2)).toEqual([])
      for (const [precision, scale] of [
        [12, 2],
        [10, 3],
      ] as const)
        expect(await planned(precision, scale)).toEqual([
          "refused: The column 'amount' of 'prices' has the type numeric(10, 2), which cannot hold all values of the field 'amount' of the model 'price'. Add a field with another name, and let its option 'backfill' make the values from the old ones.",
        ])
    } finally {
      await store.close()
    }
  })
})
