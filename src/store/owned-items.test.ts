import { expect, test } from 'vitest'
import { LazyItem } from '../stored-item/lazy-item.ts'
import { freeItems, ownItems } from './owned-items.ts'

const items = () => [new LazyItem('{"id":"a"}', 9, 1, null)]

test('empties a batch that is marked as owned, and leaves its items as they are', () => {
  const batch = items()
  const [item] = batch
  freeItems(ownItems(batch))
  expect(batch).toEqual([])
  expect(item!.id).toBe('a')
})

test('keeps a batch that is not marked as owned', () => {
  const batch = items()
  freeItems(batch)
  expect(batch).toHaveLength(1)
})
