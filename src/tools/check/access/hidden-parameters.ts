import type { DescribedOperation } from '../described-operation.ts'
import type { Finding } from '../finding.ts'
import { enumValues, selectableNames } from '../parameter-values.ts'
import { accessFinding } from './access-finding.ts'
import { type CallerResponse, type CallerView, sendAs } from './caller-view.ts'
import {
  baselinesOfInclude,
  baselinesOfSort,
  closedPaths,
  contentOf,
  findByHiddenValue,
  isThrough,
} from './closed-paths.ts'
import type { ComparedCollection } from './compared-items.ts'
import { filteredMember } from './hidden-item-probes.ts'
import { membersOf } from './item-members.ts'

/** A query of which this caller must learn nothing. */
interface ForeignQuery {
  readonly query: string
  /** Queries whose content the response may have, besides that of the whole list. */
  readonly baselines: readonly string[]
  /** The path of a filter through a closed relation, which finds nothing for this caller. */
  readonly closedFilter?: string
}

/**
 * What the document of another caller describes for a list, and that of this caller does not, must
 * be refused, or change nothing. A path through a relation to items that this caller may not see
 * must tell nothing of them.
 */
export async function findKnownParameters(
  views: readonly CallerView[],
  collection: ComparedCollection,
  collections: readonly ComparedCollection[],
): Promise<readonly Finding[]> {
  const { path, items } = collection
  const findings: Finding[] = []
  const listOf = ({ operations }: CallerView) =>
    operations.find((each) => each.method === 'GET' && each.path === path)
  for (const view of views) {
    const own = listOf(view)
    if (!own) continue
    const queries = new Map(
      views.flatMap((other) => {
        const described = listOf(other)
        if (!described || other === view) return []
        const seenValue = (member: string) =>
          [...items]
            .map(([id, responses]) => membersOf(responses.get(other)?.json, id)[member])
            .find((value) => ['string', 'number', 'boolean'].includes(typeof value))
        const includes = includesOf(view, own)
        const closed = closedPaths(
          view,
          [...includesOf(other, described)].filter((each) => !includes.has(each)),
          collections,
        )
        return foreignQueries(view, own, other, described, seenValue, { includes, closed }).map(
          (query) => [query.query, query] as const,
        )
      }),
    )
    const plain = queries.size > 0 ? await sendAs(view, 'GET', path) : undefined
    for (const { query, baselines, closedFilter } of queries.values()) {
      const response = await sendAs(view, 'GET', `${path}?${query}`)
      const telling =
        closedFilter === undefined
          ? await findEffect(view, path, response, plain!, baselines)
          : await findByHiddenValue(
              view,
              `${path}?${query.slice(0, query.indexOf('='))}`,
              closedFilter,
              collections,
              response,
            )
      if (!telling) continue
      const sent = telling.request.requestTarget.slice(path.length + 1)
      const message = `'${decodeURIComponent(sent)}' is not in the document of this caller, but takes effect; expected 400.`
      findings.push(accessFinding(view, 'hidden-field-known', own.id, message, telling))
    }
  }
  return findings
}

/** The response, if it is neither a refusal nor what the caller gets without the query. */
async function findEffect(
  view: CallerView,
  path: string,
  response: CallerResponse,
  plain: CallerResponse,
  baselines: readonly string[],
): Promise<CallerResponse | undefined> {
  if (response.status >= 400) return undefined
  const content = contentOf(response.json)
  if (content === contentOf(plain.json)) return undefined
  for (const baseline of baselines) {
    const { json } = await sendAs(view, 'GET', `${path}?${baseline}`)
    if (content === contentOf(json)) return undefined
  }
  return response
}

function includesOf(
  { document }: CallerView,
  { parameters }: DescribedOperation,
): ReadonlySet<string> {
  const include = parameters.find(
    ({ location, name }) => location === 'query' && name === 'include',
  )
  return new Set(include ? enumValues(document, include.schema) : [])
}

/** A text that no field has. */
const absentValue = 'no-item-has-this-value'

function foreignQueries(
  { document }: CallerView,
  { parameters }: DescribedOperation,
  other: CallerView,
  described: DescribedOperation,
  seenValue: (member: string) => unknown,
  known: { readonly includes: ReadonlySet<string>; readonly closed: ReadonlySet<string> },
): readonly ForeignQuery[] {
  return described.parameters
    .filter(({ location }) => location === 'query')
    .flatMap(({ name, schema }): readonly ForeignQuery[] => {
      const own = parameters.find((each) => each.location === 'query' && each.name === name)
      const query = (value: unknown): ForeignQuery => ({
        query: `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
        baselines: baselinesOf(name, String(value), known),
      })
      if (!own && name !== 'include') {
        const member = filteredMember(name)
        if (isThrough(member, known.closed))
          return [{ ...query(absentValue), closedFilter: member }]
        const value = seenValue(member)
        return [absentValue, ...(value === undefined ? [] : [value])].map(query)
      }
      const values = new Set(own ? enumValues(document, own.schema) : [])
      const foreign = enumValues(other.document, schema).filter((value) => !values.has(value))
      const names = own ? selectableNames(document, own.schema) : new Map<string, string[]>()
      const selections = [...selectableNames(other.document, schema)].flatMap(
        ([collection, selectable]) =>
          selectable
            .filter((each) => names.get(collection)?.includes(each) === false)
            .map((each) => ({
              query: `${encodeURIComponent(`${name}[${collection}]`)}=${each}`,
              baselines: [],
            })),
      )
      return [...foreign.map(query), ...selections]
    })
}

function baselinesOf(
  name: string,
  value: string,
  {
    includes,
    closed,
  }: { readonly includes: ReadonlySet<string>; readonly closed: ReadonlySet<string> },
): readonly string[] {
  if (name === 'include' && closed.has(value)) return baselinesOfInclude(value, includes)
  const isClosedSort = name === 'sort' && isThrough(value.replace(/^-/, ''), closed)
  return isClosedSort ? baselinesOfSort(value) : []
}
