import { expect } from 'vitest'
import type { ModelDescription } from '../../src/model/model-description.ts'
import { createCursorCodec } from '../../src/query/cursor-codec.ts'
import type { Condition, Position, SortKey } from '../../src/query/query-plan.ts'
import type { Store } from '../../src/store/store.ts'

const cursors = createCursorCodec('of tests, whose cursors are not encrypted')

/** The ids of the items that satisfy the condition, read on pages of one item by their cursors. */
export async function everyPage(
  store: Store,
  model: ModelDescription,
  condition: Condition,
  sort: readonly SortKey[],
): Promise<string[]> {
  const ids: string[] = []
  const count = await store.count(model, condition)
  let position: Position | undefined
  do {
    const { entries } = await store.page(model, {
      condition,
      sort,
      pageRange: position
        ? { kind: 'after', position, limit: 1 }
        : { kind: 'offset', offset: 0, limit: 1 },
    })
    const [entry] = entries
    if (!entry) return ids
    ids.push(entry.id)
    const decoded = cursors.decode(sort, cursors.encode(sort, entry.position, false), false)
    if (decoded?.kind !== 'whole') throw new Error('The position is too long for a cursor.')
    position = decoded.position
  } while (ids.length <= count)
  expect.fail(`The pages do not end: ${ids.join()}`)
}
