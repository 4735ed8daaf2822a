import type { ErrorCode } from '../../error/catalog.ts'
import type { ListOperationInput } from '../operation-input.ts'
import { aggregatePlan, aggregateValues } from './aggregate-values.ts'
import { visibleCondition, visibleConditionErrors } from './visible-condition.ts'
import { guarded, wholePlan } from './whole-list.ts'

export const listSummaryErrors: readonly ErrorCode[] = [...visibleConditionErrors]

/** Does a request ask about all pages of a list? */
export function asksForSummary({ aggregates, facets }: ListOperationInput): boolean {
  return aggregates.length > 0 || facets.length > 0
}

/** What a request asks about all pages of a list, as members of a JSON object. */
export async function listSummary(input: ListOperationInput): Promise<string> {
  const { aggregates, facets } = input
  const members: string[] = []
  if (aggregates.length > 0) members.push(`"aggregates":${JSON.stringify(await aggregated(input))}`)
  if (facets.length > 0) members.push(`"facets":${JSON.stringify(await faceted(input))}`)
  return members.join(',')
}

async function aggregated(input: ListOperationInput): Promise<object> {
  const { store, view, aggregates } = input
  const condition = await visibleCondition(input, wholePlan(input))
  const plan = aggregatePlan(condition, aggregates, (path) => guarded(input, path))
  const [group] = await store.groups(view.model, plan)
  return aggregateValues(aggregates, group!)
}

interface FacetValue {
  readonly value: unknown
  readonly count: number
}

async function faceted(input: ListOperationInput): Promise<object> {
  const { store, view, facets } = input
  const result: [string, readonly FacetValue[]][] = []
  for (const { name, path, maxValues } of facets) {
    const condition = await visibleCondition(input, input.listWithout(path))
    const groups = await store.groups(view.model, {
      condition,
      by: [{ path: guarded(input, path) }],
      aggregates: [],
      order: 'largestFirst',
      limit: maxValues,
    })
    result.push([name, groups.map(({ keys: [value = null], count }) => ({ value, count }))])
  }
  return Object.fromEntries(result)
}
