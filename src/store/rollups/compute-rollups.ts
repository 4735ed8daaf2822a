import type { RollupField } from '../../model/model-description.ts'
import { relatesToAny, toFieldPath } from '../../query/conditions.ts'
import { toDecimalNumber, zero } from '../../query/decimal-number.ts'
import type { AggregateTerm, ItemGroup } from '../../query/group-plan.ts'
import type { StoreReader } from '../store-reader.ts'
import type { RollupLink } from './rollup-links.ts'
import type { RollupTotal } from './rollup-total.ts'

/** The totals of the rollups over one relation, by the names of their fields. */
export type LinkTotals = Readonly<Record<string, RollupTotal>>

/** How many items are read with one query. */
const maxIdsPerQuery = 500

/** Reads the items of a relation: what the rollups of each of these parents are, by id. */
export async function computeRollups(
  reader: Pick<StoreReader, 'groups'>,
  link: RollupLink,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LinkTotals>> {
  const totals = new Map(ids.map((id) => [id, totalsOf(link.fields, undefined)]))
  // An item with a relation to many is in groups that nobody asks for.
  const size = link.relation.kind === 'toOne' ? maxIdsPerQuery : 1
  for (let start = 0; start < ids.length; start += size) {
    const batch = ids.slice(start, start + size)
    for (const [id, group] of await groupsOf(reader, link, batch))
      if (totals.has(id)) totals.set(id, totalsOf(link.fields, group))
  }
  return totals
}

/** What an item without related items has. */
export function emptyTotals({ fields }: RollupLink): LinkTotals {
  return totalsOf(fields, undefined)
}

async function groupsOf(
  reader: Pick<StoreReader, 'groups'>,
  { child, relation, fields }: RollupLink,
  ids: readonly string[],
): Promise<readonly (readonly [string, ItemGroup])[]> {
  const path = toFieldPath(relation.name)
  const isOne = ids.length === 1
  const groups = await reader.groups(child, {
    condition: relatesToAny(relation.name, relation.kind, ids),
    by: isOne ? [] : [{ path }],
    aggregates: fields.flatMap(termOf),
    order: 'keys',
    limit: ids.length,
  })
  return groups.map((group) => [isOne ? ids[0]! : String(group.keys[0]), group])
}

function termOf({ computed }: RollupField): readonly AggregateTerm[] {
  const { function: term, source } = computed
  if (term === 'count') return []
  return [{ function: term === 'avg' ? 'sum' : term, path: toFieldPath(source!.name) }]
}

function totalsOf(fields: readonly RollupField[], group: ItemGroup | undefined): LinkTotals {
  let index = 0
  return Object.fromEntries(
    fields.map((field): [string, RollupTotal] => [
      field.name,
      field.computed.function === 'count'
        ? { kind: 'count', count: group?.count ?? 0 }
        : totalOf(field, group?.results[index++]),
    ]),
  )
}

function totalOf(
  { computed }: RollupField,
  result: ItemGroup['results'][number] | undefined,
): RollupTotal {
  if (computed.function === 'min' || computed.function === 'max')
    return { kind: 'extreme', value: result && 'value' in result ? result.value : null }
  return result?.function === 'sum'
    ? { kind: 'sum', sum: toDecimalNumber(result.sum) ?? zero, count: result.count }
    : { kind: 'sum', sum: zero, count: 0 }
}
