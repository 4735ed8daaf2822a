import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import { pascalOf } from '../../model/naming.ts'
import { isScalar } from '../../model/value-type.ts'
import type { SortKey } from '../../query/query-plan.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { Limits } from '../limits.ts'
import { type Parameter, read, refused } from '../parameter.ts'
import { type ClientEnd, followPath, tooLong } from './client-path.ts'
import { documentedEnds } from './filter-document.ts'

/** `sort=-price,title,author.name`: by each in turn, descending after a minus. */
export function sortParameter(views: Views, view: ModelView, limits: Limits): Parameter {
  return {
    families: ['sort'],
    documented: () => [
      {
        name: 'sort',
        description:
          'By what the list is sorted, separated by commas: by each in turn, downwards after a minus. Without it, by `id`.',
        schema: { type: 'array', minItems: 1, maxItems: limits.sortKeys, items: sortKeySchema(views, view, limits) },
        written: 'commas',
        shared: `${pascalOf(view.model.name)}Sort`,
      },
    ],
    errors: ['unknown-field', 'invalid-sort', 'limit-exceeded'],
    read: ([entry]) => {
      const { value, path } = entry!
      if (path.length > 0)
        return refused([
          problem('unknown-parameter', 'Sorting is written sort=…, without brackets.', { parameter: entry!.key }),
        ])
      const sort = readSort(views, view, value, limits, entry!.key)
      return sort.kind === 'read' ? read({ sort: sort.keys }) : refused(sort.problems)
    },
  }
}

/** So many names are listed one by one where those are all, so that clients know every one; else, where lists could only show how names look, fewer. */
const listedNames = { all: 100, some: 24 }

/** What a list of the model can be sorted by, either way. What lies behind so many relations that the list would be long goes by its form. */
function sortKeySchema(views: Views, view: ModelView, limits: Limits): JsonSchema {
  const all = documentedEnds(views, view, limits, listedNames.all)
  const { ends, isComplete } = all.isComplete ? all : documentedEnds(views, view, limits, listedNames.some)
  const names = ends.filter(([, end]) => isSortable(end)).map(([name]) => name)
  const listed: JsonSchema = { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) }
  return isComplete ? listed : { anyOf: [listed, { type: 'string', pattern: `^-?${dottedName}$` }] }
}

const dottedName = '[A-Za-z][\\w-]*(?:\\.[A-Za-z][\\w-]*)+'

type SortReading =
  | { readonly kind: 'read'; readonly keys: readonly SortKey[] }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }

/** @param parameter the name that the sort was given under */
export function readSort(views: Views, view: ModelView, value: string, limits: Limits, parameter: string): SortReading {
  const names = value.split(',')
  if (names.length > limits.sortKeys) {
    const detail = `A list is sorted by at most ${limits.sortKeys} fields.`
    return { kind: 'refused', problems: [problem('limit-exceeded', detail, { parameter }, { limit: limits.sortKeys })] }
  }
  const keys = names.map((name) => readKey(views, view, name, limits, parameter))
  const problems = keys.filter((key): key is Problem => 'code' in key)
  return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'read', keys: keys as SortKey[] }
}

function readKey(views: Views, view: ModelView, key: string, limits: Limits, parameter: string): SortKey | Problem {
  const descending = key.startsWith('-')
  const name = descending ? key.slice(1) : key
  const source = { parameter }
  if (name === '') return problem('invalid-sort', 'The name of a field is expected, as in sort=-price,title.', source)
  const path = followPath(views, view, name, limits.relationDepth)
  if (path.kind === 'tooLong') return tooLong(name, source, limits)
  if (path.kind === 'lost')
    return problem('unknown-field', `There is no field '${shortened(name)}' to sort by: ${path.because}.`, source)
  if (!isSortable(path.end))
    return problem('invalid-sort', `'${shortened(name)}' cannot be sorted by; text, numbers and booleans can.`, source)
  return { path: { names: path.names }, direction: descending ? 'desc' : 'asc' }
}

function isSortable(end: ClientEnd): boolean {
  return end.kind === 'id' || (end.kind === 'value' && end.field.sort && isScalar(end.type))
}
