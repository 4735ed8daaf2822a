import type { DescribedOperation } from '../described-operation.ts'
import { isRecord } from '../document-node.ts'
import type { Finding } from '../finding.ts'
import { accessFinding } from './access-finding.ts'
import { type CallerView, sendAs } from './caller-view.ts'
import type { ComparedCollection } from './compared-items.ts'
import { filteredMember } from './hidden-item-probes.ts'
import { membersOf } from './item-members.ts'
import { enumValues, selectableNames } from './parameter-values.ts'

/**
 * What the document of another caller describes for a list, and that of this caller does not, must
 * be refused, or change nothing.
 */
export async function findKnownParameters(
  views: readonly CallerView[],
  { path, items }: ComparedCollection,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const listOf = ({ operations }: CallerView) =>
    operations.find((each) => each.method === 'GET' && each.path === path)
  for (const view of views) {
    const own = listOf(view)
    if (!own) continue
    const queries = new Set(
      views.flatMap((other) => {
        const described = listOf(other)
        if (!described || other === view) return []
        const seenValue = (member: string) =>
          [...items]
            .map(([id, responses]) => membersOf(responses.get(other)?.json, id)[member])
            .find((value) => ['string', 'number', 'boolean'].includes(typeof value))
        return foreignQueries(view, own, other, described, seenValue)
      }),
    )
    const plain = queries.size > 0 ? await sendAs(view, 'GET', path) : undefined
    for (const query of queries) {
      const response = await sendAs(view, 'GET', `${path}?${query}`)
      if (response.status >= 400 || contentOf(response.json) === contentOf(plain!.json)) continue
      const message = `'${decodeURIComponent(query)}' is not in the document of this caller, but takes effect; expected 400.`
      findings.push(accessFinding(view, 'hidden-field-known', own.id, message, response))
    }
  }
  return findings
}

/** A text that no field has. */
const absentValue = 'no-item-has-this-value'

function foreignQueries(
  { document }: CallerView,
  { parameters }: DescribedOperation,
  other: CallerView,
  described: DescribedOperation,
  seenValue: (member: string) => unknown,
): readonly string[] {
  return described.parameters
    .filter(({ location }) => location === 'query')
    .flatMap(({ name, schema }) => {
      const own = parameters.find((each) => each.location === 'query' && each.name === name)
      const query = (value: unknown) =>
        `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`
      if (!own) {
        const value = seenValue(filteredMember(name))
        return [absentValue, ...(value === undefined ? [] : [value])].map(query)
      }
      const known = new Set(enumValues(document, own.schema))
      const foreign = enumValues(other.document, schema).filter((value) => !known.has(value))
      const names = selectableNames(document, own.schema)
      const selections = [...selectableNames(other.document, schema)].flatMap(
        ([collection, selectable]) =>
          selectable
            .filter((each) => names.get(collection)?.includes(each) === false)
            .map((each) => `${encodeURIComponent(`${name}[${collection}]`)}=${each}`),
      )
      return [...foreign.map(query), ...selections]
    })
}

/** The body without its links, which repeat the query. */
function contentOf(json: unknown): string {
  return JSON.stringify(isRecord(json) ? { ...json, links: undefined } : json)
}
