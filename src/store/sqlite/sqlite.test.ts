import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeContract } from '../../../test/contract/store.ts'
import { sqlite } from './sqlite.ts'

storeContract('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-contract-'))
  const store = sqlite(join(folder, 'new', 'contract.db'), { durability: 'normal' })
  return {
    store,
    async dispose() {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
})
