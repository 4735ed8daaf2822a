import { toFieldPath } from '../../query/conditions.ts'
import { type Highlight, highlightText } from '../../query/highlight-text.ts'
import type { RequestedSearch } from '../../rule/selection.ts'
import type { ListOperationInput } from '../operation-input.ts'
import { guarded } from './whole-list.ts'

/** Texts may be long, so those of a few items are in memory at a time. */
const itemsAtOnce = 20

interface FieldHighlight extends Highlight {
  readonly name: string
}

interface ItemHighlights {
  readonly id: string
  readonly fields: readonly FieldHighlight[]
}

/**
 * Where the words of a search occur in the items of a page, in their order. The texts are what a
 * group of the item has as keys, so that guards of paths hide what they hide from the search.
 */
export async function highlightsOf(
  input: ListOperationInput,
  search: RequestedSearch,
  ids: readonly string[],
): Promise<readonly ItemHighlights[]> {
  const highlights: ItemHighlights[] = []
  for (let start = 0; start < ids.length; start += itemsAtOnce) {
    const some = ids.slice(start, start + itemsAtOnce)
    const fieldsById = await fieldsOf(input, search, some)
    for (const id of some) highlights.push({ id, fields: fieldsById.get(id) ?? [] })
  }
  return highlights
}

async function fieldsOf(
  input: ListOperationInput,
  { condition, names }: RequestedSearch,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly FieldHighlight[]>> {
  const { store, view, plan } = input
  const idPath = toFieldPath('id')
  const groups = await store.groups(view.model, {
    condition: {
      kind: 'and',
      conditions: [{ kind: 'oneOf', path: idPath, values: ids }, plan.condition],
    },
    by: [{ path: idPath }, ...condition.fields.map(({ path }) => ({ path: guarded(input, path) }))],
    aggregates: [],
    order: 'largestFirst',
    limit: ids.length,
  })
  return new Map(
    groups.map(({ keys: [id, ...texts] }) => [
      String(id),
      texts.flatMap((text, index) => {
        const highlight =
          typeof text === 'string' ? highlightText(text, condition.terms) : undefined
        return highlight ? [{ name: names[index]!, ...highlight }] : []
      }),
    ]),
  )
}
