import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { disposeTogether } from '../../../../test/support/dispose-together.ts'
import { storeContract } from '../../../contracts/store-contract.ts'
import { sqlite } from '../sqlite.ts'

storeContract('sqlite tables', open, {
  'keeps the version and the revision of each item': 'the version is computed from the row',
  'tells text that holds a NUL from its beginning': 'SQLite would end the text at NUL',
  'keeps null apart from a member that is absent': 'a column has one NULL',
})

async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
  // Items of the contract may relate to items that are not there.
  const store = sqlite(join(folder, 'items.db'), { layout: 'tables', foreignKeys: false })
  return {
    store,
    dispose: () =>
      disposeTogether(async () => {
        await store.close()
        await rm(folder, { recursive: true, force: true })
      }),
  }
}
