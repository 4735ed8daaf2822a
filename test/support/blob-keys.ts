import { type AnyModel, file, model, type Store } from 'resourcery'
import { expect } from 'vitest'
import { z } from 'zod'
import { describeModels } from '../../src/model/describe/describe-models.ts'

/** A model of a table whose ids are numbers, most of whose rows have no resource. */
const Scan: AnyModel = model('scan', {
  note: z.string().optional(),
  page: file(),
  cover: file(),
})

/**
 * Rows with the numbers from 1 to 25 000. The resources are those of rows 1, 10 000, 10 001 and
 * 25 000.
 */
export const scanTables = [
  'create table scans (id integer primary key, note text, page text, cover text)',
  'insert into scans with recursive n(i) as (select 1 union all select i + 1 from n where i < 25000) select i, \'n\', case when i in (1, 10000, 10001) then \'{"contentType":"text/plain","size":1,"hash":"00","fileName":null,"blobKey":"page-\' || i || \'"}\' end, case when i in (1, 25000) then \'{"contentType":"text/plain","size":1,"hash":"00","fileName":null,"blobKey":"cover-\' || i || \'"}\' end from n',
]

export async function expectScanKeys(store: Store): Promise<void> {
  const [scan] = describeModels([Scan])
  await store.open([scan!])
  const batches: (readonly string[])[] = []
  for await (const batch of store.fastPaths!.blobKeys!(scan!)) batches.push(batch)
  // A range without resources is no batch.
  expect(batches).toEqual([['page-1', 'cover-1', 'page-10000'], ['page-10001'], ['cover-25000']])
}
