import type { DescribedOperation } from '../described-operation.ts'
import { isRecord } from '../document-node.ts'
import type { Finding } from '../finding.ts'
import { groupsIn } from '../list-documents.ts'
import { listedNames, queryParameterOf } from '../parameter-values.ts'
import { accessFinding } from './access-finding.ts'
import { type CallerResponse, type CallerView, sendAs } from './caller-view.ts'
import type { ComparedCollection } from './compared-items.ts'

/**
 * What the document of another caller groups a list by, or adds up in its groups, and that of this
 * caller does not, must be refused, or tell nothing.
 */
export async function findKnownGroups(
  views: readonly CallerView[],
  { path }: ComparedCollection,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const view of views) {
    const own = groupsOf(view, path)
    if (!own) continue
    const foreign = (parameter: string) => {
      const known = new Set(namesOf(view, path, parameter))
      const all = views.flatMap((other) => namesOf(other, path, parameter))
      return [...new Set(all)].filter((name) => !known.has(name))
    }
    const [key] = namesOf(view, path, 'groupBy')
    const queries = [
      ...foreign('groupBy').map((name) => ({ name, query: { groupBy: name } })),
      ...(key === undefined ? [] : foreign('withAggregates')).map((name) => ({
        name,
        query: { groupBy: key!, withAggregates: name },
      })),
    ]
    for (const { name, query } of queries) {
      const response = await sendAs(view, 'GET', `${own.path}?${new URLSearchParams(query)}`)
      if (response.status >= 400 || !tellsValue(response, name)) continue
      const message = `'${name}' is not in the document of this caller, but its groups have values; expected 400.`
      findings.push(accessFinding(view, 'hidden-field-known', own.id, message, response))
    }
  }
  return findings
}

/** The groups of a list; undefined where the caller has none. */
export function groupsOf({ operations }: CallerView, path: string): DescribedOperation | undefined {
  return operations.find(
    (each) =>
      each.method === 'GET' &&
      each.path === `${path}/groups` &&
      queryParameterOf(each, 'groupBy') !== undefined,
  )
}

export function namesOf(view: CallerView, path: string, parameter: string): readonly string[] {
  return listedNames(view.document, groupsOf(view, path), parameter)
}

/** Null, and 0 as the sum or the number of nothing, tell nothing. */
function tellsValue({ json }: CallerResponse, name: string): boolean {
  return groupsIn(isRecord(json) ? json : undefined).some(({ by, aggregates }) => {
    const value = by[name] ?? aggregates[name] ?? null
    return value !== null && value !== 0 && value !== '0'
  })
}
