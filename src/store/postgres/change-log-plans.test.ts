import { expect, it, onTestFinished } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { models } from '../../contracts/store/models.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { changeStatements } from '../tables/change-log-table.ts'
import { PostgresDatabase } from './database.ts'
import { postgresEngine } from './engine.ts'
import { postgres } from './postgres-store.ts'

const fillSql = `insert into resourcery_changes
  select 1 + i / 500, i << 20, 'update', 'book', (i % 1000)::text, i, null, repeat('x', 400), repeat('x', 400)
  from generate_series(1, 50000) as i`

describePostgres('A large log of changes in PostgreSQL', () => {
  it('is read, erased and removed in parts by its index', async () => {
    const created = await newDatabase()
    const store = postgres(created.url)
    const database = new PostgresDatabase(created.url)
    onTestFinished(async () => {
      await store.close()
      await database.close()
      await created.drop()
    })
    await store.open(models, { keepsChanges: true })
    for (const sql of [fillSql, 'analyze resourcery_changes'])
      await database.write([{ sql, parameters: [] }])
    const planOf = async ({ sql, parameters }: Statement) => {
      const [plan] = await database.read([{ sql: `explain ${sql}`, parameters }])
      return plan!.rows.join('\n')
    }
    const statements = changeStatements(postgresEngine)
    const after = { transaction: 30n, change: 0n }
    const upTo = { transaction: 32n, change: 0n }
    for (const statement of [
      statements.read(after, 100, 'ordered'),
      statements.read(after, 100, 'committed'),
      statements.latest,
      statements.lastExpired(after, 40_000, 250),
      statements.nth(after, 1_999),
      statements.contains({ after, upTo }, { kind: 'item', model: 'book', id: '7' }),
      statements.erase({ after, upTo }, { kind: 'models', models: ['book'] }),
      statements.remove({ after, upTo })[0]!,
    ])
      expect.soft(await planOf(statement)).not.toMatch(/Seq Scan on resourcery_changes\b/)
  })
})
