import type { QueryParameterEntry } from '../../http/query-string.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { allOf } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { describeFilters } from './describe-filters.ts'
import { parseFilterExpression } from './filter-expression.ts'
import { createFilterNodeCounter, FilterReader } from './filter-reader.ts'

/**
 * `filter[price][gte]=10`, `filter[title]=Dune`, `filter[author.name][contains]=Shelley`, or an
 * expression: `filter=or(eq(title,'Dune'),gt(price,10))`. An item must match all filters.
 *
 * ```ts
 * const listParameters = [filterParameter(views, view, limits), pageParameter(limits)]
 * ```
 */
export function filterParameter(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): QueryParameter {
  return {
    baseNames: ['filter'],
    describe: () => describeFilters(views, view, limits),
    errors: [
      'unknown-field',
      'unknown-operator',
      'invalid-value',
      'invalid-filter',
      'limit-exceeded',
    ],
    read: (entries) => {
      const reader = new FilterReader(
        views,
        view,
        limits,
        createFilterNodeCounter('The filters of a list'),
      )
      const conditions = entries.map((entry) => readFilter(reader, entry, limits, 'filter'))
      return reader.problems.length > 0
        ? refuseParameter(reader.problems)
        : acceptParameter({ condition: allOf(conditions) })
    },
  }
}

/** @param name the part of the parameter name before the field; `path` starts with the field */
export function readFilter(
  reader: FilterReader,
  { key, path, value }: QueryParameterEntry,
  limits: RouterLimits,
  name: string,
): Condition {
  const [field, operator, ...rest] = path
  if (field === undefined) return readExpression(reader, key, value, limits)
  if (rest.length > 0) {
    return reader.addProblem(
      key,
      'unknown-parameter',
      `Write a filter as ${name}[field]=value or ${name}[field][operator]=value.`,
    )
  }
  return reader.readComparison({
    parameter: key,
    field,
    operator,
    operand: { kind: 'text', text: value },
  })
}

function readExpression(
  reader: FilterReader,
  parameter: string,
  source: string,
  limits: RouterLimits,
): Condition {
  const limit = limits.maxFilterDepth
  const parsed = parseFilterExpression(source, limit)
  switch (parsed.kind) {
    case 'parsed':
      return reader.readExpression(parameter, parsed.expression)
    case 'tooDeep':
      return reader.addProblem(
        parameter,
        'limit-exceeded',
        `A filter expression must have at most ${limit} levels.`,
        { limit },
      )
    case 'failed':
      return reader.addProblem(
        parameter,
        'invalid-filter',
        `Expected ${parsed.expected} at character ${parsed.offset} of the expression.`,
      )
  }
}
