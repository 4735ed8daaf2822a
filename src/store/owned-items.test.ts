import { expect, test } from 'vitest'
import { freeItems, ownItems } from './owned-items.ts'
import { TextItem } from './text-item.ts'

const items = () => [new TextItem('{"id":"a"}', 9, 1, null)]

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
