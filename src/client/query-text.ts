import { type AnyFilter, filterText } from './filter-text.ts'
import { type Format, modelOf } from './format.ts'
import { type IncludeTree, treeOf } from './include-tree.ts'
import type { Manifest } from './manifest.ts'

/** What a call may ask for, whatever its model. */
export interface AnyQuery {
  readonly filter?: AnyFilter
  readonly search?: string
  readonly sort?: string | readonly string[]
  readonly page?: Readonly<Record<string, string | number | undefined>>
  readonly count?: boolean
  readonly include?: readonly string[]
  readonly fields?: Readonly<Record<string, readonly string[] | undefined>>
  readonly aggregates?: readonly string[]
  readonly facets?: readonly string[]
  readonly highlights?: boolean
  readonly by?: readonly string[]
  readonly filterGroups?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly timeZone?: string
  readonly since?: string
  readonly signal?: AbortSignal | undefined
}

/** The parameters of members that are sent as they are; lists of names have commas. */
const parameterNames = {
  search: 'search',
  sort: 'sort',
  count: 'withCount',
  include: 'include',
  aggregates: 'withAggregates',
  facets: 'withFacets',
  highlights: 'withHighlights',
  by: 'groupBy',
  timeZone: 'timeZone',
  since: 'since',
} as const

/** The query string of a call, without the question mark. */
export function queryText(
  manifest: Manifest,
  format: Format,
  plural: string,
  query: AnyQuery,
): string {
  const parameters = new URLSearchParams()
  const set = (name: string, value: unknown) => {
    if (value !== undefined && value !== false && value !== '') parameters.set(name, String(value))
  }
  if (query.filter) set('filter', filterText(query.filter))
  for (const [member, name] of Object.entries(parameterNames))
    set(name, query[member as keyof AnyQuery])
  for (const [name, value] of Object.entries(query.page ?? {})) set(`page[${name}]`, value)
  for (const [name, fields] of Object.entries(completeFields(manifest, format, plural, query)))
    set(`fields[${name}]`, fields && [...fields])
  for (const [name, conditions] of Object.entries(query.filterGroups ?? {}))
    for (const [operator, value] of Object.entries(conditions))
      set(`filterGroups[${name}][${operator}]`, value)
  return parameters.toString()
}

/** Adds the fields without which included items find no place, and items have no version. */
function completeFields(
  manifest: Manifest,
  format: Format,
  plural: string,
  { fields, include = [] }: AnyQuery,
): Readonly<Record<string, ReadonlySet<string> | undefined>> {
  if (!fields) return {}
  const complete: Record<string, Set<string> | undefined> = {}
  for (const [name, names] of Object.entries(fields)) if (names) complete[name] = new Set(names)
  const visit = (name: string, tree: IncludeTree) => {
    const { relations = {}, version } = modelOf(manifest, name)
    if (version) complete[name]?.add(version)
    for (const [relationName, children] of Object.entries(tree)) {
      const relation = relations[relationName]
      if (!relation) continue
      const isPlacedByInverse = relation.inverse !== undefined && !format.hasInverseFields
      if (isPlacedByInverse) complete[relation.model]?.add(relation.inverse)
      else complete[name]?.add(relationName)
      visit(relation.model, children)
    }
  }
  visit(plural, treeOf(include))
  return complete
}
