import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from 'resourcery/sqlite'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { field } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { openSource } from './open-store.ts'

it('A source that opening would change is refused, and one whose items may lack a value is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
  const store = sqlite(join(folder, 'books.db'), { layout: 'tables' })
  try {
    const [before] = describeModels([model('book', { title: z.string() })])
    await store.open([before!])
    await store.write((transaction) =>
      transaction.insert(before!, createStoredItem(before!, { id: '1', title: 'Dune' }, 1)),
    )
    const After = model('book', {
      title: z.string(),
      pages: field(z.int(), { missing: 'allow' }),
    })
    await expect(openSource({ store }, [After])).rejects.toThrow("Add the column 'pages'")
    await store.open(describeModels([After]))
    expect(await store.admin!.plan!(describeModels([After]))).toEqual([])
    expect(await openSource({ store }, [After])).toHaveLength(1)
  } finally {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
})
