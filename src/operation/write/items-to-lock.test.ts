import { model, rollup, toMany, toOne } from 'resourcery'
import { expect, it } from 'vitest'
import { describeModels } from '../../model/describe/describe-models.ts'
import { always } from '../../query/conditions.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { itemsToLock } from './items-to-lock.ts'

const [author, book] = describeModels([
  model('author', {
    books: toMany('book', { inverse: 'author' }),
    bookCount: rollup('books', { count: true }),
  }),
  model('book', { author: toOne('author', { optional: true, onDelete: 'set-null' }) }),
]) as [ReturnType<typeof describeModels>[number], ReturnType<typeof describeModels>[number]]

it('Of too many items to lock, those that are named are locked', async () => {
  const reader: Pick<StoreReader, 'list'> = {
    async *list(listed) {
      const count = listed === book ? 10_001 : 1
      yield Array.from({ length: count }, (_, index) =>
        createStoredItem(listed, { id: `${index}`, bookCount: 0, author: null }, 1),
      )
    },
  }
  const locked = await itemsToLock(reader as StoreReader, [
    { model: author, ids: ['0'], change: 'write' },
    { model: book, condition: always, change: 'write' },
  ])
  expect(locked).toEqual([{ model: author, ids: ['0'], change: 'write' }])
})
