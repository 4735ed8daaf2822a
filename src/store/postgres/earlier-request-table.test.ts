import { it, onTestFinished } from 'vitest'
import { expectCompletedRequestTable } from '../../../test/support/earlier-request-table.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

describePostgres('A table of results of an earlier build', () => {
  it('is completed by a start', async () => {
    const database = await newDatabase()
    onTestFinished(() => database.drop())
    const server = await sharedServer()
    await expectCompletedRequestTable(
      () => postgres(database.url),
      'resourcery_requests',
      (sql) => server.run(sql, [], database.name),
    )
  })
})
