import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { storeContract } from '../../contracts/store-contract.ts'
import { postgres } from './postgres-store.ts'

describePostgres('The PostgreSQL store', () => {
  storeContract('postgres', open, {
    'keeps the version and the revision of each item': 'the version is computed from the row',
    'tells text that holds a NUL from its beginning': 'PostgreSQL has no text with NUL',
    'keeps null apart from a member that is absent': 'a column has one NULL',
  })
})

async function open() {
  const database = await newDatabase()
  // Items of the contract may relate to items that are not there.
  const store = postgres(database.url, { foreignKeys: false })
  return {
    store,
    async dispose() {
      await store.close()
      await database.drop()
    },
  }
}
