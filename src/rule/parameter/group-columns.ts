import { maxReportedProblems } from '../../error/max-reported-problems.ts'
import { findNearestName } from '../../error/nearest-name.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { allOf } from '../../query/conditions.ts'
import type { Condition, FieldSortKey } from '../../query/query-plan.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { RequestedAggregate, RequestedGroupKey } from '../selection.ts'
import { resultType } from './aggregate-functions.ts'
import { parseExactValue } from './exact-value.ts'
import { type FilterableField, filterableValue } from './filter-operators.ts'
import { createFilterNodeCounter, FilterReader } from './filter-reader.ts'
import { withoutBrackets } from './parameter-statements.ts'

/** What each group has, by the names of the request: its keys, and what its items add up to. */
export interface GroupColumns {
  readonly fields: ReadonlyMap<string, FilterableField>
  /** All names of `groupBy` and `withAggregates`, also those that are refused. */
  readonly requested: ReadonlySet<string>
  /** The names that documents list for either parameter. */
  readonly listed: { readonly [parameter in 'groupBy' | 'withAggregates']: () => readonly string[] }
}

export function groupColumns(
  keys: readonly RequestedGroupKey[],
  aggregates: readonly RequestedAggregate[],
  requested: ReadonlySet<string>,
  listed: GroupColumns['listed'],
): GroupColumns {
  const fields = new Map([
    ...keys.map(({ name, type }) => [name, filterableValue(type)] as const),
    ...aggregates.map(
      (aggregate) => [aggregate.name, filterableValue(resultType(aggregate))] as const,
    ),
  ])
  return { fields, requested, listed }
}

/** `filterGroups[count][gte]=10`: a comparison of a key, or of what the items add up to. */
export function readGroupFilters(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
  columns: GroupColumns,
  entries: readonly QueryParameterEntry[],
  problems: Problem[],
): Condition {
  const reader = new FilterReader(
    views,
    view,
    limits,
    createFilterNodeCounter('The filters of groups'),
    parseExactValue,
  )
  const conditions = entries.flatMap(({ key, path, value }) => {
    const [name, operator, ...rest] = path
    if (name === undefined || rest.length > 0) {
      problems.push(
        problem(
          'unknown-parameter',
          'Write a filter of groups as filterGroups[name]=value or filterGroups[name][operator]=value.',
          { parameter: key },
        ),
      )
      return []
    }
    const target = columnOf(columns, name, 'filter', key, problems)
    if (!target) return []
    const operand = { kind: 'text', text: value } as const
    return reader.readNamedComparison({ parameter: key, field: name, operator, operand }, target)
  })
  problems.push(...reader.problems)
  return allOf(conditions)
}

/** `sort=-sum(price),author`: the order of groups. */
export function readGroupSort(
  columns: GroupColumns,
  { maxSortKeys: limit }: Pick<RouterLimits, 'maxSortKeys'>,
  entries: readonly QueryParameterEntry[],
  problems: Problem[],
): readonly FieldSortKey[] {
  return entries.flatMap(({ key: parameter, path, value }) => {
    const source = { parameter }
    const names = value.split(',')
    if (path.length > 0) problems.push(withoutBrackets(parameter))
    else if (names.length > limit)
      problems.push(
        problem('limit-exceeded', `'sort' must have at most ${limit} names.`, source, { limit }),
      )
    else
      return names.flatMap((text): readonly FieldSortKey[] => {
        const isDescending = text.startsWith('-')
        const name = isDescending ? text.slice(1) : text
        const column = columnOf(columns, name, 'sort', parameter, problems)
        return column ? [{ path: { names: [name] }, direction: isDescending ? 'desc' : 'asc' }] : []
      })
    return []
  })
}

const refusals = {
  filter: ['filter groups by', 'invalid-filter'],
  sort: ['sort groups by', 'invalid-sort'],
} as const

/** Undefined for an unknown name; one that is refused has a problem already. */
function columnOf(
  columns: GroupColumns,
  name: string,
  purpose: keyof typeof refusals,
  parameter: string,
  problems: Problem[],
): FilterableField | undefined {
  const { fields, requested } = columns
  const column = fields.get(name)
  if (column || requested.has(name)) return column
  const [action, code] = refusals[purpose]
  const statement = `Cannot ${action} '${truncate(name)}', which neither 'groupBy' nor 'withAggregates' names`
  const end = problems.length < maxReportedProblems ? expectedColumn(columns, name) : '.'
  problems.push(problem(code, statement + end, { parameter }))
  return undefined
}

/** The end of a statement about a name that the request has nowhere else. */
function expectedColumn({ fields, listed }: GroupColumns, name: string): string {
  const names = [...fields.keys()]
  if (findNearestName(name, names) !== undefined) return unknownName('', name, names)
  const lists = Object.entries(listed)
  const [parameter] = lists.find(([, list]) => list().includes(name)) ?? []
  if (parameter !== undefined) return `. Name it in '${parameter}' too.`
  const meant = findNearestName(
    name,
    lists.flatMap(([, list]) => list()),
  )
  if (meant !== undefined) return `. Did you mean '${meant}'?`
  return names.length === 0 ? '.' : unknownName('', name, names)
}
