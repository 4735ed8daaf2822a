import { afterAll, describe } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { EngineDouble } from '../../../test/support/postgres/engine-double.ts'
import { engineProfiles } from '../../../test/support/postgres/engine-profiles.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { storeWithTables } from '../../../test/support/postgres/store-with-tables.ts'
import { storeContract } from '../../contracts/store-contract.ts'
import { postgres } from './postgres-store.ts'

const { ENGINE } = process.env
const engines =
  ENGINE === undefined ? [] : ENGINE === 'all' ? Object.keys(engineProfiles) : [ENGINE]

// A file that declares no suite fails.
if (engines.length === 0) describe.todo('The PostgreSQL store before the engine that ENGINE names')

for (const engine of engines) {
  const profile = engineProfiles[engine as keyof typeof engineProfiles]
  if (!profile)
    throw new Error(
      `ENGINE must be 'all' or one of ${Object.keys(engineProfiles).join(', ')}; got '${engine}'.`,
    )
  const noLog = { changes: 'the server has no ids of transactions' }
  const unmanaged = {
    requestRecords: 'a store that changes no tables has no place for them',
  }
  describePostgres(`The PostgreSQL store before the double of ${engine}`, () => {
    let database: TestDatabase | undefined
    let double: EngineDouble | undefined
    let schemaCount = 0
    afterAll(async () => {
      await double?.close()
      await database?.drop()
    })

    const open = async () => {
      const server = await sharedServer()
      database ??= await newDatabase({ options: profile.databaseOptions ?? '' })
      double ??= await EngineDouble.before(server, profile)
      const schema = `store_${++schemaCount}`
      await server.run(`create schema ${schema}`, [], database.name)
      const options = encodeURIComponent(`-c search_path=${schema}`)
      const store = postgres(`${double.url(database.name)}?options=${options}`, {
        ...profile.options,
        foreignKeys: false,
        preparedStatements: false,
        acquireTimeoutMs: 30_000,
        versionSecret: 'a secret of sixteen',
      })
      const made = profile.options.manage === false
      const direct = `${database.url}&options=${options}`
      return {
        store: made ? storeWithTables(store, direct) : store,
        dispose: () => store.close(),
      }
    }
    storeContract(engine, open, {
      ...(profile.refused.some(({ text }) => text.test('pg_current_xact_id()')) && noLog),
      ...(profile.options.manage === false && unmanaged),
      'keeps the version and the revision of each item': 'the version is computed from the row',
      'tells text that holds a NUL from its beginning': 'PostgreSQL has no text with NUL',
      'keeps null apart from a member that is absent': 'a column has one NULL',
    })
  })
}
