import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { disposeTogether } from '../../../test/support/dispose-together.ts'
import { storeContract } from '../../contracts/store-contract.ts'
import { type SqliteOptions, sqlite } from './sqlite.ts'

storeContract('sqlite', () => open({}))

// Every table counts as large: what no index bounds then takes the ways that large tables take.
storeContract('sqlite with large tables', () => open({ largeTableRows: 0 }))

async function open(options: SqliteOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-contract-'))
  const store = sqlite(join(folder, 'new', 'contract.db'), { durability: 'normal', ...options })
  return {
    store,
    dispose: () =>
      disposeTogether(async () => {
        await store.close()
        rmSync(folder, { recursive: true })
      }),
  }
}
