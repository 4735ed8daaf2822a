import { isRecord } from '../document-node.ts'
import type { Finding } from '../finding.ts'
import { groupsIn, hasNextPage } from '../list-documents.ts'
import { accessFinding } from './access-finding.ts'
import { type CallerResponse, type CallerView, sendAs } from './caller-view.ts'
import type { ComparedCollection } from './compared-items.ts'
import { groupsOf, namesOf } from './hidden-groups.ts'

/** The total that a list says must be the number of items that the caller gets. */
export async function findWrongCounts(
  views: readonly CallerView[],
  collections: readonly ComparedCollection[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { path, lists } of collections)
    for (const view of views) {
      const { ids, isWhole } = lists.get(view)!
      const operation = view.operations.find((each) => each.method === 'GET' && each.path === path)
      if (!isWhole || !operation) continue
      const has = (parameter: string) => operation.parameters.some(({ name }) => name === parameter)
      const targets = [
        has('withCount') ? `${path}?withCount=true` : path,
        ...(has('withAggregates') ? [`${path}?withAggregates=count`] : []),
      ]
      const refuse = (subject: string, total: number, response: CallerResponse) => {
        const message = `The response counts ${total} items, but this caller gets ${ids.length}.`
        findings.push(accessFinding(view, 'count-differs', subject, message, response))
      }
      for (const target of targets) {
        const response = await sendAs(view, 'GET', target)
        const total = totalIn(response.json)
        if (total !== undefined && total !== ids.length) refuse(operation.id, total, response)
      }
      const counted = await countInGroups(view, path)
      if (counted && counted.total !== ids.length)
        refuse(counted.operationId, counted.total, counted.response)
    }
  return findings
}

/** How many items all groups by a single value have; undefined where there are no such groups. */
async function countInGroups(view: CallerView, path: string) {
  const operation = groupsOf(view, path)
  const functions = namesOf(view, path, 'withAggregates')
  const key = namesOf(view, path, 'groupBy').find((name) =>
    functions.includes(`countDistinct(${name})`),
  )
  if (!operation || key === undefined) return undefined
  const query = new URLSearchParams({ groupBy: key, withAggregates: 'count' })
  const response = await sendAs(view, 'GET', `${operation.path}?${query}`)
  const { status, json } = response
  // Groups of other pages are missing.
  if (status !== 200 || !isRecord(json) || hasNextPage(json, response)) return undefined
  const counts = groupsIn(json).map(({ aggregates }) => Number(aggregates.count))
  return {
    operationId: operation.id,
    total: counts.reduce((all, count) => all + count, 0),
    response,
  }
}

const totalNames = new Set(['total', 'totalCount', 'totalItems', 'count'])

/** A total outside of items. */
function totalIn(value: unknown): number | undefined {
  if (!isRecord(value)) return undefined
  for (const [name, member] of Object.entries(value)) {
    const total = totalNames.has(name) && typeof member === 'number' ? member : totalIn(member)
    if (total !== undefined) return total
  }
  return undefined
}
