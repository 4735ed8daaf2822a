import { expect, test } from 'vitest'
import { z } from 'zod'
import { model } from '../../model/declare/model.ts'
import { toMany, toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { andAlso, idIsAnyOf, relatesToAny, toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type Condition } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { memoryReader } from './memory-reader.ts'
import { committedView, memoryTable, startChanges, type TableView } from './memory-table.ts'

const [comment] = describeModels([
  model('comment', {
    text: z.string(),
    parent: toOne('comment', { optional: true, onDelete: 'cascade' }),
    answers: toMany('comment', { inverse: 'parent' }),
    mentions: toMany('comment'),
    mentionedIn: toMany('comment', { inverse: 'mentions' }),
  }),
]) as readonly [ModelDescription]

const itemOf = (values: StoredValues) => createStoredItem(comment, { text: '', ...values }, 1)

/** A chain of comments, each of which mentions the one before the last. */
const table = () =>
  memoryTable(
    comment,
    Array.from({ length: 20 }, (_, index) =>
      itemOf({
        id: `c-${index}`,
        ...(index > 0 && { parent: `c-${index - 1}` }),
        mentions: index > 1 ? [`c-${index - 2}`, 'c-0'] : [],
      }),
    ),
  )

/** A view that cannot be read as a whole. */
const byIndexAlone = (view: TableView): TableView => ({
  ...view,
  values: () => {
    throw new Error('All items are read.')
  },
})

async function collected<T>(batches: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const batch of batches) all.push(batch)
  return all
}

const idsOf = async (batches: AsyncIterable<readonly StoredItem[]>) =>
  (await collected(batches)).flat().map(({ id }) => id)

test('the items that hold an id are read without the others', async () => {
  const reader = memoryReader(() => byIndexAlone(committedView(table())))
  const list = (condition: Condition) => idsOf(reader.list(comment, { ...allItemsPlan, condition }))
  expect(await list(relatesToAny('parent', 'toOne', ['c-4', 'c-4', 'c-7', 'none']))).toEqual([
    'c-5',
    'c-8',
  ])
  expect(await list(relatesToAny('mentions', 'toMany', ['c-4', 'c-5']))).toEqual(['c-6', 'c-7'])
  const both = andAlso(relatesToAny('parent', 'toOne', ['c-4', 'c-7']), idIsAnyOf(['c-8', 'c-9']))
  expect(await list(both)).toEqual(['c-8'])
  expect(await reader.count(comment, relatesToAny('mentions', 'toMany', ['c-0']))).toBe(18)
  expect(await reader.find(comment, relatesToAny('parent', 'toOne', ['c-18']))).toMatchObject({
    id: 'c-19',
  })
})

test.each([
  ['answers', ['c-5']],
  ['mentionedIn', ['c-6']],
])('%s of an item are read without the other items', async (name, ids) => {
  const reader = memoryReader(() => byIndexAlone(committedView(table())))
  const relation = comment.fieldsByName.get(name) as ManyRelation
  const plan = { ...allItemsPlan, pageRange: { kind: 'offset', offset: 0, limit: 5 } as const }
  const [page] = await collected(reader.relatedPages(comment, relation, ['c-4'], plan))
  expect(page?.map(({ item }) => item.id)).toEqual(ids)
})

test('a transaction sees its own changes of relations, and commits them', async () => {
  const committed = table()
  const changes = startChanges(committed)
  const ownersIn = (view: TableView, relation: string, id: string) =>
    Array.from(view.referencing(relation, id), ({ item }) => item.id).sort()
  changes.remove('c-5')
  changes.replace(itemOf({ id: 'c-6', parent: 'c-4', mentions: ['c-4'] }))
  changes.replace(itemOf({ id: 'c-6', parent: 'c-4', mentions: [] }))
  changes.insert(itemOf({ id: 'c-20', parent: 'c-4', mentions: ['c-4', 'c-4'] }))
  changes.insert(itemOf({ id: 'c-21', parent: 'c-4', mentions: [] }))
  changes.remove('c-21')
  expect(ownersIn(committedView(committed), 'parent', 'c-4')).toEqual(['c-5'])
  expect(ownersIn(changes, 'parent', 'c-4')).toEqual(['c-20', 'c-6'])
  expect(ownersIn(changes, 'mentions', 'c-4')).toEqual(['c-20'])
  changes.commit()
  expect(ownersIn(committedView(committed), 'parent', 'c-4')).toEqual(['c-20', 'c-6'])
  expect(ownersIn(committedView(committed), 'mentions', 'c-4')).toEqual(['c-20'])
  expect(ownersIn(committedView(committed), 'parent', 'c-5')).toEqual([])
})

test('a condition that null satisfies reads all items', async () => {
  const reader = memoryReader(() => committedView(table()))
  const condition: Condition = { kind: 'oneOf', path: toFieldPath('parent'), values: [null, 'c-4'] }
  expect(await idsOf(reader.list(comment, { ...allItemsPlan, condition }))).toEqual(['c-0', 'c-5'])
})
