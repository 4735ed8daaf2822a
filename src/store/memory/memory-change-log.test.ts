import { expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { memory } from './memory.ts'

it('calls listeners while one of its routers has closed it, and once it is opened again', async () => {
  const [book] = describeModels([model('book', { title: z.string() })])
  const store = memory()
  await store.open([book!], { keepsChanges: true })
  let calls = 0
  const unwatch = store.changes!.watch(() => calls++)
  await store.close()
  const after = createStoredItem(book!, { id: 'emma', title: 'Emma' }, 1)
  await store.write(({ changes }) =>
    changes!.add([
      { kind: 'create', model: 'book', id: 'emma', timeMs: 1, caller: null, before: null, after },
    ]),
  )
  expect(calls).toBe(1)
  unwatch()
})
