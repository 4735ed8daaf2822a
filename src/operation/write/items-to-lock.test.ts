import { model, rollup, toMany, toOne } from 'resourcery'
import { expect, it } from 'vitest'
import type { Context } from '../../context/context.ts'
import type { Guards } from '../../context/guards.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { InverseField } from '../../model/model-description.ts'
import { always } from '../../query/conditions.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { itemsToLock } from './items-to-lock.ts'
import { WritableItems } from './writable-items.ts'

const [author, book] = describeModels([
  model('author', {
    books: toMany('book', { inverse: 'author' }),
    bookCount: rollup('books', { count: true }),
  }),
  model('book', { author: toOne('author', { optional: true, onDelete: 'set-null' }) }),
]) as [ReturnType<typeof describeModels>[number], ReturnType<typeof describeModels>[number]]

/** Each list has so many items, or one for another model than books. */
const readerOf = (books: number): StoreReader => {
  const reader: Pick<StoreReader, 'list'> = {
    async *list(listed) {
      const count = listed === book ? books : 1
      yield Array.from({ length: count }, (_, index) =>
        createStoredItem(listed, { id: `${index}`, bookCount: 0, author: null }, 1),
      )
    },
  }
  return reader as StoreReader
}

it('Of too many items to lock, those that are named are locked', async () => {
  const locked = await itemsToLock(readerOf(10_001), [
    { model: author, ids: ['0'], change: 'write' },
    { model: book, condition: always, change: 'write' },
  ])
  expect(locked).toEqual([{ model: author, ids: ['0'], change: 'write' }])
})

const guards = {
  readCondition: () => always,
  writeCondition: () => always,
  fields: { writeCondition: () => always } as Partial<Guards['fields']> as Guards['fields'],
} as Partial<Guards> as Guards
const input = { guards, context: {} as Context }
const relation = author.relations[0] as InverseField

/** A request that relates the book `new` to the author, in place of others. */
const replacementOf = (leaving: number): WritableItems => {
  const items = new WritableItems()
  items.add({ model: author, id: '0', change: 'write' }, () => always)
  items.addLinked(input, { relation, id: 'new', isNamed: true })
  for (let index = 0; index < leaving; index++)
    items.addLinked(input, { relation, id: `${index}`, isNamed: false })
  return items
}

it('Items that leave a relation are locked, unless they are too many', async () => {
  const idsLocked = async (leaving: number) => {
    const locked = await itemsToLock(readerOf(leaving), replacementOf(leaving).toList())
    return locked.map(({ model, ids }) => [model.name, ids])
  }
  expect(await idsLocked(2)).toEqual([
    ['author', ['0']],
    ['book', ['0', '1']],
  ])
  expect(await idsLocked(10_001)).toEqual([
    ['author', ['0']],
    ['book', ['new']],
  ])
})
