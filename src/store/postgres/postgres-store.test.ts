import { afterAll } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { storeContract } from '../../contracts/store-contract.ts'
import { postgres } from './postgres-store.ts'

describePostgres('The PostgreSQL store', () => {
  storeContract('postgres', open, {
    'keeps the version and the revision of each item': 'the version is computed from the row',
    'tells text that holds a NUL from its beginning': 'PostgreSQL has no text with NUL',
    'keeps null apart from a member that is absent': 'a column has one NULL',
  })
})

let database: Promise<TestDatabase> | undefined
let schemaCount = 0
afterAll(async () => (await database)?.drop())

/** Each store has a schema of its own: a database takes several times as long to create. */
async function open() {
  database ??= newDatabase()
  const { name, url } = await database
  const schema = `store_${++schemaCount}`
  await (await sharedServer()).run(`create schema ${schema}`, [], name)
  const options = encodeURIComponent(`-c search_path=${schema}`)
  // Items of the contract may relate to items that are not there.
  const store = postgres(`${url}&options=${options}`, { foreignKeys: false })
  return { store, dispose: () => store.close() }
}
