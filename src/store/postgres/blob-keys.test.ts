import { postgres } from 'resourcery/postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectScanKeys, scanTables } from '../../../test/support/blob-keys.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'

describePostgres('The blob keys of a large table', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase({ logsStatements: true })
    for (const sql of scanTables) await (await sharedServer()).run(sql, [], database.name)
    await (await sharedServer()).run(
      'alter table scans alter page type jsonb using page::jsonb, alter cover type jsonb using cover::jsonb',
      [],
      database.name,
    )
  }, 120_000)
  afterAll(() => database?.drop())

  it('are read without rows that have none', async () => {
    const store = postgres(database.url, { maxConnections: 1 })
    try {
      await expectScanKeys(store)
      const reads = (await database.statements()).filter((sql) => sql.includes('"cover"'))
      expect(reads.length).toBeGreaterThan(0)
      expect(reads.every((sql) => !sql.includes('note'))).toBe(true)
    } finally {
      await store.close()
    }
  })
})
