import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { sqlite } from 'resourcery/sqlite'
import { it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { expectCompletedRequestTable } from '../../../test/support/earlier-request-table.ts'

it.each([
  ['documents', '_requests'],
  ['tables', 'resourcery_requests'],
] as const)('Results of an earlier build in a file of %s are kept on', async (layout, table) => {
  const folder = temporaryFolder('earlier-request-table')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'books.db')
  await expectCompletedRequestTable(
    () => sqlite(file, { layout }),
    table,
    (sql) => {
      const other = new DatabaseSync(file)
      other.exec(sql)
      other.close()
    },
  )
})
