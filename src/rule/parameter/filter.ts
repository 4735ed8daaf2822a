import type { QueryEntry } from '../../http/query-string.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import { allOf } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { Limits } from '../limits.ts'
import { type Parameter, read, refused } from '../parameter.ts'
import { documentedFilters } from './filter-document.ts'
import { parseExpression } from './filter-expression.ts'
import { FilterReader, filterNodes } from './filter-reader.ts'

/**
 * `filter[price][gte]=10`, `filter[title]=Dune`, `filter[author.name][contains]=Shelley`, and for boolean logic
 * `filter=or(eq(title,'Dune'),gt(price,10))`. Several filters all have to hold.
 */
export function filterParameter(views: Views, view: ModelView, limits: Limits): Parameter {
  return {
    families: ['filter'],
    documented: () => documentedFilters(views, view, limits),
    errors: ['unknown-field', 'unknown-operator', 'invalid-value', 'invalid-filter', 'limit-exceeded'],
    read: (entries) => {
      const reader = new FilterReader(views, view, limits, filterNodes('The filters of a list'))
      const conditions = entries.map((entry) => readFilter(reader, entry, limits, 'filter'))
      return reader.problems.length > 0 ? refused(reader.problems) : read({ condition: allOf(conditions) })
    },
  }
}

/**
 * Reads one filter.
 * @param name what stands before the field in the name of the entry; its path begins with the field
 */
export function readFilter(
  reader: FilterReader,
  { key, path, value }: QueryEntry,
  limits: Limits,
  name: string,
): Condition {
  const [field, operator, ...rest] = path
  if (field === undefined) return readExpression(reader, key, value, limits)
  if (rest.length > 0) {
    return reader.refuse(
      key,
      'unknown-parameter',
      `A filter is written ${name}[field]=value or ${name}[field][operator]=value.`,
    )
  }
  return reader.comparison({ parameter: key, field, operator, written: { kind: 'text', text: value } })
}

function readExpression(reader: FilterReader, parameter: string, source: string, limits: Limits): Condition {
  const limit = limits.filterDepth
  const parsed = parseExpression(source, limit)
  switch (parsed.kind) {
    case 'parsed':
      return reader.expression(parameter, parsed.expression)
    case 'tooDeep':
      return reader.refuse(parameter, 'limit-exceeded', `Filters nest at most ${limit} deep.`, { limit })
    case 'failed':
      return reader.refuse(
        parameter,
        'invalid-filter',
        `At character ${parsed.offset} of the expression, expected is ${parsed.expected}.`,
      )
  }
}
