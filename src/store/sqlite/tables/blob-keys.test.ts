import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { sqlite } from 'resourcery/sqlite'
import { it, onTestFinished } from 'vitest'
import { expectScanKeys, scanTables } from '../../../../test/support/blob-keys.ts'
import { temporaryFolder } from '../../../../test/support/documentation.ts'

it('The blob keys of a large table are read without rows that have none', async () => {
  const folder = temporaryFolder('blob-keys')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'scans.db')
  const other = new DatabaseSync(file)
  for (const sql of scanTables) other.exec(sql)
  other.close()
  const store = sqlite(file, { layout: 'tables' })
  onTestFinished(() => store.close())
  await expectScanKeys(store)
})
