import { expect, test } from 'vitest'
import { LazyItem } from '../stored-item/lazy-item.ts'
import { freeItems, ownItems } from './owned-items.ts'

const items = () => [new LazyItem('{"id":"a"}', 9, 1, null)]

test('a batch that nothing else needs is emptied, and its items stay as they are', () => {
  const batch = items()
  const [item] = batch
  freeItems(ownItems(batch))
  expect(batch).toEqual([])
  expect(item!.id).toBe('a')
})

test('a batch of which nobody said so stays', () => {
  const batch = items()
  freeItems(batch)
  expect(batch).toHaveLength(1)
})
