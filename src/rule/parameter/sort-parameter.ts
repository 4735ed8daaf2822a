import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import { isScalar } from '../../model/value-type.ts'
import type { SortKey } from '../../query/query-plan.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { listFieldReferences } from './describe-filters.ts'
import { type FieldReference, pathTooLong, resolveWirePath } from './resolve-wire-path.ts'

/** `sort=-price,title,author.name`: by each in turn, descending after a minus. */
export function sortParameter(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): QueryParameter {
  return {
    baseNames: ['sort'],
    describe: () => [
      {
        name: 'sort',
        description:
          'By what the list is sorted, separated by commas: by each in turn, downwards after a minus. Without it, by `id`.',
        schema: {
          type: 'array',
          minItems: 1,
          maxItems: limits.maxSortKeys,
          items: sortKeySchema(views, view, limits),
        },
        style: 'commas',
        componentName: `${toPascalCase(view.model.name)}Sort`,
      },
    ],
    errors: ['unknown-field', 'invalid-sort', 'limit-exceeded'],
    read: ([entry]) => {
      const { value, path } = entry!
      if (path.length > 0)
        return refuseParameter([
          problem('unknown-parameter', 'Sorting is written sort=…, without brackets.', {
            parameter: entry!.key,
          }),
        ])
      const sort = readSort(views, view, value, limits, entry!.key)
      return sort.kind === 'read'
        ? acceptParameter({ sort: sort.keys })
        : refuseParameter(sort.problems)
    },
  }
}

/**
 * So many names are listed one by one where those are all, so that clients know every one; else,
 * where lists could only show how names look, fewer.
 */
const maxListedNames = { complete: 100, sample: 24 }

/**
 * What a list of the model can be sorted by, either way. What lies behind so many relations that
 * the list would be long goes by its form.
 */
function sortKeySchema(views: ModelViews, view: ModelView, limits: RouterLimits): JsonSchema {
  const all = listFieldReferences(views, view, limits, maxListedNames.complete)
  const { references, isComplete } = all.isComplete
    ? all
    : listFieldReferences(views, view, limits, maxListedNames.sample)
  const names = references.filter(([, end]) => isSortable(end)).map(([name]) => name)
  const listed: JsonSchema = { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) }
  return isComplete
    ? listed
    : { anyOf: [listed, { type: 'string', pattern: `^-?${dottedNamePattern}$` }] }
}

const dottedNamePattern = '[A-Za-z][\\w-]*(?:\\.[A-Za-z][\\w-]*)+'

type SortResult =
  | { readonly kind: 'read'; readonly keys: readonly SortKey[] }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }

/** @param parameter the name that the sort was given under */
export function readSort(
  views: ModelViews,
  view: ModelView,
  value: string,
  limits: RouterLimits,
  parameter: string,
): SortResult {
  const names = value.split(',')
  if (names.length > limits.maxSortKeys) {
    const detail = `A list is sorted by at most ${limits.maxSortKeys} fields.`
    return {
      kind: 'refused',
      problems: [problem('limit-exceeded', detail, { parameter }, { limit: limits.maxSortKeys })],
    }
  }
  const keys = names.map((name) => readSortKey(views, view, name, limits, parameter))
  const problems = keys.filter((key): key is Problem => 'code' in key)
  return problems.length > 0
    ? { kind: 'refused', problems }
    : { kind: 'read', keys: keys as SortKey[] }
}

function readSortKey(
  views: ModelViews,
  view: ModelView,
  key: string,
  limits: RouterLimits,
  parameter: string,
): SortKey | Problem {
  const descending = key.startsWith('-')
  const name = descending ? key.slice(1) : key
  const source = { parameter }
  if (name === '')
    return problem(
      'invalid-sort',
      'The name of a field is expected, as in sort=-price,title.',
      source,
    )
  const path = resolveWirePath(views, view, name, limits.maxRelationDepth)
  if (path.kind === 'tooLong') return pathTooLong(name, source, limits)
  if (path.kind === 'lost')
    return problem(
      'unknown-field',
      `There is no field '${truncate(name)}' to sort by: ${path.reason}.`,
      source,
    )
  if (!isSortable(path.reference))
    return problem(
      'invalid-sort',
      `'${truncate(name)}' cannot be sorted by; text, numbers and booleans can.`,
      source,
    )
  return { path: { names: path.names }, direction: descending ? 'desc' : 'asc' }
}

function isSortable(end: FieldReference): boolean {
  return end.kind === 'id' || (end.kind === 'value' && end.field.isSortable && isScalar(end.type))
}
