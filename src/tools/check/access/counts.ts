import { isRecord } from '../document-node.ts'
import type { Finding } from '../finding.ts'
import { accessFinding } from './access-finding.ts'
import { type CallerView, sendAs } from './caller-view.ts'
import type { ComparedCollection } from './compared-items.ts'

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
      const hasCount = operation?.parameters.some(({ name }) => name === 'withCount')
      if (!isWhole || !operation) continue
      const response = await sendAs(view, 'GET', hasCount ? `${path}?withCount=true` : path)
      const total = totalIn(response.json)
      if (total === undefined || total === ids.length) continue
      const message = `The response counts ${total} items, but this caller gets ${ids.length}.`
      findings.push(accessFinding(view, 'count-differs', operation.id, message, response))
    }
  return findings
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
