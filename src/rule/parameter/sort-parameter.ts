import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import { isScalar } from '../../model/value-type.ts'
import type { SearchCondition, SortKey } from '../../query/query-plan.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import {
  acceptParameter,
  type DocumentedParameter,
  dependsOnKeyword,
  type QueryParameter,
  refuseParameter,
} from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { listFieldReferences } from './describe-filters.ts'
import { withoutBrackets } from './parameter-statements.ts'
import { type FieldReference, pathTooLong, resolveWirePath } from './resolve-wire-path.ts'

/**
 * `sort=-price,title,author.name`. A minus means descending.
 *
 * ```ts
 * const listParameters = [sortParameter(views, view, limits), pageParameter(limits)]
 * ```
 */
export function sortParameter(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): QueryParameter {
  return {
    baseNames: ['sort'],
    describe: () => [describeSort(views, view, limits)],
    errors: sortErrors,
    read: ([entry]) => {
      const sort = readSortEntry(views, view, entry!, limits)
      return sort.kind === 'accepted'
        ? acceptParameter({ sort: sort.keys })
        : refuseParameter(sort.problems)
    },
  }
}

export const sortErrors = ['unknown-field', 'invalid-sort', 'limit-exceeded'] as const

export function describeSort(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): DocumentedParameter {
  const byRelevance =
    view.model.searched.length === 0
      ? ''
      : ` With \`search\`, \`-${relevance}\` has what fits best first.`
  return {
    name: 'sort',
    description: `Sort fields, separated by commas. A leading minus sorts descending. Ties are sorted by \`id\`, in the direction of the last field. Default: \`id\`.${byRelevance}`,
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: limits.maxSortKeys,
      items: sortKeySchema(views, view, limits),
    },
    style: 'commaSeparated',
    componentName: `${toPascalCase(view.model.name)}Sort`,
  }
}

/** The name by which a list that is searched is sorted by how well its items fit. */
const relevance = 'relevance'

/** All names are listed if there are at most 100; else about 24, and a pattern for the others. */
const maxListedNames = { complete: 100, sample: 24 }

function sortKeySchema(views: ModelViews, view: ModelView, limits: RouterLimits): JsonSchema {
  const list = listFieldReferences(views, view, limits, maxListedNames.complete)
  const { references, isComplete } = list.isComplete
    ? list
    : listFieldReferences(views, view, limits, maxListedNames.sample)
  const names = references.filter(([, reference]) => isSortable(reference)).map(([name]) => name)
  const listed: JsonSchema = { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) }
  const byName: JsonSchema = isComplete
    ? listed
    : { anyOf: [listed, { type: 'string', pattern: `^-?${dottedNamePattern}$` }] }
  if (view.model.searched.length === 0) return byName
  // What generates requests does not know that another parameter must be there.
  const byRelevance: JsonSchema = {
    type: 'string',
    enum: [`-${relevance}`, relevance],
    [dependsOnKeyword]: searchName,
  }
  return { anyOf: [byName, byRelevance] }
}

const searchName = 'search'

const dottedNamePattern = '[A-Za-z][\\w-]*(?:\\.[A-Za-z][\\w-]*)+'

export type SortResult =
  | { readonly kind: 'accepted'; readonly keys: readonly SortKey[] }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }

/** What a list is searched for; `nothing` for one that could be, and undefined for any other. */
export type SortedSearch = SearchCondition | 'nothing' | undefined

export function readSortEntry(
  views: ModelViews,
  view: ModelView,
  { key, path, value }: QueryParameterEntry,
  limits: RouterLimits,
  search?: SortedSearch,
): SortResult {
  if (path.length === 0) return readSort(views, view, value, limits, key, search)
  return { kind: 'refused', problems: [withoutBrackets(key)] }
}

/** @param parameter the name of the query parameter */
export function readSort(
  views: ModelViews,
  view: ModelView,
  value: string,
  limits: RouterLimits,
  parameter: string,
  search?: SortedSearch,
): SortResult {
  const names = value.split(',')
  if (names.length > limits.maxSortKeys) {
    const detail = `'${parameter}' must have at most ${limits.maxSortKeys} fields.`
    return {
      kind: 'refused',
      problems: [problem('limit-exceeded', detail, { parameter }, { limit: limits.maxSortKeys })],
    }
  }
  const keys = names.map((name) => readSortKey(views, view, name, limits, parameter, search))
  const problems = keys.filter((key): key is Problem => 'code' in key)
  return problems.length > 0
    ? { kind: 'refused', problems }
    : { kind: 'accepted', keys: keys as SortKey[] }
}

function readSortKey(
  views: ModelViews,
  view: ModelView,
  key: string,
  limits: RouterLimits,
  parameter: string,
  search: SortedSearch,
): SortKey | Problem {
  const isDescending = key.startsWith('-')
  const name = isDescending ? key.slice(1) : key
  const source = { parameter }
  if (name === '')
    return problem('invalid-sort', 'Expected a field name, as in sort=-price,title.', source)
  const direction = isDescending ? 'desc' : 'asc'
  if (name === relevance && view.model.searched.length > 0) {
    if (typeof search === 'object') return { search, direction }
    const detail = `Only a list with '${searchName}' can be sorted by '${relevance}'.`
    return problem('invalid-sort', detail, source)
  }
  const path = resolveWirePath(views, view, name, {
    relationDepth: limits.maxRelationDepth,
    isUsable: isSortable,
    otherNames: search && { names: [relevance], areUsable: search !== 'nothing' },
  })
  if (path.kind === 'tooLong') return pathTooLong(name, source, limits)
  if (path.kind === 'unresolved')
    return problem('unknown-field', `Cannot sort by '${truncate(name)}': ${path.reason}`, source)
  if (!isSortable(path.reference))
    return problem(
      'invalid-sort',
      `Cannot sort by '${truncate(name)}'; only sortable strings, numbers and booleans are allowed.`,
      source,
    )
  return { path: { names: path.names }, direction }
}

function isSortable(reference: FieldReference): boolean {
  return (
    reference.kind === 'id' ||
    (reference.kind === 'value' && reference.field.isSortable && isScalar(reference.type))
  )
}
