import { expect, it } from 'vitest'
import { z } from 'zod'
import { TimeSlice } from '../../concurrency/time-slice.ts'
import { model } from '../../model/declare/model.ts'
import { toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { LogWindow, type PastChange } from './log-window.ts'

const [book] = describeModels([
  model('book', { title: z.string(), shelf: toOne('shelf') }),
  model('shelf', { name: z.string() }),
])
const shelf = book!.ownedRelations[0]!

function change(id: string, shelfId: string): PastChange {
  const before = createStoredItem(book!, { id, title: 'T', shelf: shelfId }, 1)
  return { kind: 'update', model: 'book', id, before }
}

it('finds the first change of an item within a part', () => {
  const changes = [change('a', 's'), change('b', 's'), change('a', 't'), change('a', 's')]
  const window = new LogWindow(changes)
  expect(window.next('book', 'a', 0)).toBe(changes[0])
  expect(window.next('book', 'a', 1)).toBe(changes[2])
  expect(window.next('book', 'a', 3)).toBe(changes[3])
  expect(window.next('book', 'a', 3, 3)).toBeUndefined()
  expect(window.next('book', 'b', 2)).toBeUndefined()
  expect(window.next('shelf', 'a', 0)).toBeUndefined()
})

it('finds the changes of items that held an id before them, also of changes that come later', async () => {
  const changes = [change('a', 's'), change('b', 't'), change('c', 's')]
  const window = new LogWindow(changes)
  await window.prepare(book!, shelf, new TimeSlice())
  const holding = (from: number, end: number) => window.holding(book!, shelf, 's', [from, end])
  expect(holding(0, 3)).toEqual([changes[0], changes[2]])
  expect(holding(1, 3)).toEqual([changes[2]])
  expect(holding(0, 2)).toEqual([changes[0]])
  window.add(change('d', 's'))
  window.add({ kind: 'create', model: 'book', id: 'e', before: null })
  window.add({ kind: 'erased', model: 'book' })
  expect(holding(0, window.count)).toHaveLength(3)
})

it('knows since when nothing of a model is erased', () => {
  const window = new LogWindow([{ kind: 'erased', model: 'book' }, change('a', 's')])
  expect(window.hasErased('book', 0)).toBe(true)
  expect(window.hasErased('book', 1)).toBe(false)
  expect(window.hasErased('shelf', 0)).toBe(false)
})
