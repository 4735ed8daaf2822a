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
    describe: () => [
      {
        name: 'sort',
        description:
          'Sort fields, separated by commas. A leading minus sorts descending. Ties are sorted by `id`, in the direction of the last field. Default: `id`.',
        schema: {
          type: 'array',
          minItems: 1,
          maxItems: limits.maxSortKeys,
          items: sortKeySchema(views, view, limits),
        },
        style: 'commaSeparated',
        componentName: `${toPascalCase(view.model.name)}Sort`,
      },
    ],
    errors: ['unknown-field', 'invalid-sort', 'limit-exceeded'],
    read: ([entry]) => {
      const { value, path } = entry!
      if (path.length > 0) return refuseParameter([withoutBrackets(entry!.key)])
      const sort = readSort(views, view, value, limits, entry!.key)
      return sort.kind === 'accepted'
        ? acceptParameter({ sort: sort.keys })
        : refuseParameter(sort.problems)
    },
  }
}

/** All names are listed if there are at most 100; else about 24, and a pattern for the others. */
const maxListedNames = { complete: 100, sample: 24 }

function sortKeySchema(views: ModelViews, view: ModelView, limits: RouterLimits): JsonSchema {
  const list = listFieldReferences(views, view, limits, maxListedNames.complete)
  const { references, isComplete } = list.isComplete
    ? list
    : listFieldReferences(views, view, limits, maxListedNames.sample)
  const names = references.filter(([, reference]) => isSortable(reference)).map(([name]) => name)
  const listed: JsonSchema = { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) }
  return isComplete
    ? listed
    : { anyOf: [listed, { type: 'string', pattern: `^-?${dottedNamePattern}$` }] }
}

const dottedNamePattern = '[A-Za-z][\\w-]*(?:\\.[A-Za-z][\\w-]*)+'

type SortResult =
  | { readonly kind: 'accepted'; readonly keys: readonly SortKey[] }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }

/** @param parameter the name of the query parameter */
export function readSort(
  views: ModelViews,
  view: ModelView,
  value: string,
  limits: RouterLimits,
  parameter: string,
): SortResult {
  const names = value.split(',')
  if (names.length > limits.maxSortKeys) {
    const detail = `'${parameter}' must have at most ${limits.maxSortKeys} fields.`
    return {
      kind: 'refused',
      problems: [problem('limit-exceeded', detail, { parameter }, { limit: limits.maxSortKeys })],
    }
  }
  const keys = names.map((name) => readSortKey(views, view, name, limits, parameter))
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
): SortKey | Problem {
  const isDescending = key.startsWith('-')
  const name = isDescending ? key.slice(1) : key
  const source = { parameter }
  if (name === '')
    return problem('invalid-sort', 'Expected a field name, as in sort=-price,title.', source)
  const path = resolveWirePath(views, view, name, {
    relationDepth: limits.maxRelationDepth,
    isUsable: isSortable,
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
  return { path: { names: path.names }, direction: isDescending ? 'desc' : 'asc' }
}

function isSortable(reference: FieldReference): boolean {
  return (
    reference.kind === 'id' ||
    (reference.kind === 'value' && reference.field.isSortable && isScalar(reference.type))
  )
}
