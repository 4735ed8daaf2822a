import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import {
  type FieldDescription,
  isRelation,
  type ModelDescription,
} from '../../model/model-description.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { FieldPath, SearchCondition } from '../../query/query-plan.ts'
import {
  acceptParameter,
  type DocumentedParameter,
  type ParameterResult,
  type QueryParameter,
  refuseParameter,
} from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { withoutBrackets } from './parameter-statements.ts'
import { readSearchTerms } from './read-search-terms.ts'
import { describeSort, readSortEntry, sortErrors, sortParameter } from './sort-parameter.ts'

const parameter = 'search'

function searchParameter(view: ModelView, limits: RouterLimits): QueryParameter {
  return {
    baseNames: [parameter],
    describe: () => [describeSearch(view, limits)],
    errors: searchErrors,
    read: ([entry]) => {
      const search = readSearch(view, entry!, limits)
      return 'code' in search ? refuseParameter([search]) : acceptParameter({ condition: search })
    },
  }
}

/**
 * `search=words`: the items in whose texts all of the words occur, as the model declares them
 * (`search`); none where it declares nothing.
 *
 * ```ts
 * const parameters = [filterParameter(views, view, limits), ...searchParameters(view, limits)]
 * ```
 */
export function searchParameters(view: ModelView, limits: RouterLimits): readonly QueryParameter[] {
  return view.model.searched.length === 0 ? [] : [searchParameter(view, limits)]
}

/**
 * `search` and `sort` of a list, which is then sorted by `relevance` too.
 */
export function searchAndSortParameters(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): readonly QueryParameter[] {
  if (view.model.searched.length === 0) return [sortParameter(views, view, limits)]
  const both: QueryParameter = {
    baseNames: [parameter, 'sort'],
    describe: () => [describeSearch(view, limits), describeSort(views, view, limits)],
    errors: [...new Set([...searchErrors, ...sortErrors])],
    read: (entries) => readSearchAndSort(views, view, entries, limits),
  }
  return [both]
}

function readSearchAndSort(
  views: ModelViews,
  view: ModelView,
  entries: readonly QueryParameterEntry[],
  limits: RouterLimits,
): ParameterResult {
  const entryOf = (name: string) => entries.find(({ baseName }) => baseName === name)
  const [searched, sorted] = [entryOf(parameter), entryOf('sort')]
  const search = searched && readSearch(view, searched, limits)
  const isRefused = search && 'code' in search
  // What is wrong with the search is said once.
  const relevant = isRefused ? emptySearch : search
  const sort = sorted && readSortEntry(views, view, sorted, limits, relevant)
  const problems = [
    ...(isRefused ? [search] : []),
    ...(sort?.kind === 'refused' ? sort.problems : []),
  ]
  if (problems.length > 0) return refuseParameter(problems)
  return acceptParameter({
    ...(search && !isRefused && { condition: search }),
    ...(sort?.kind === 'accepted' && { sort: sort.keys }),
  })
}

const emptySearch: SearchCondition = { kind: 'search', fields: [], terms: [] }

const searchErrors = ['unknown-parameter', 'invalid-value', 'limit-exceeded'] as const

function describeSearch(
  { model }: ModelView,
  { maxSearchLength }: RouterLimits,
): DocumentedParameter {
  const names = model.searched.map(({ path }) => wireNameOf(model, path))
  return {
    name: parameter,
    description: `Words that occur in ${names.map((name) => `\`${name}\``).join(', ')}, whatever their case and accents: each in any of these. The last word may be the beginning of one. Quotes ask for a phrase, and a minus excludes what follows it.`,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: maxSearchLength,
      pattern: '^(?=[\\s\\S]*[A-Za-z0-9\\u0080-\\uFFFF])',
    },
    style: 'plain',
    componentName: undefined,
  }
}

/** The name of a searched text as clients see it. */
function wireNameOf(start: ModelDescription, { names }: FieldPath): string {
  let model: ModelDescription | undefined = start
  const wires = names.map((name) => {
    const field: FieldDescription | undefined = model?.fieldsByName.get(name)
    model = field && isRelation(field) ? field.relatedModel : undefined
    return field?.wireName ?? name
  })
  return wires.join('.')
}

function readSearch(
  { model }: ModelView,
  { key, path, value }: QueryParameterEntry,
  { maxSearchWords, maxSearchLength }: RouterLimits,
): SearchCondition | Problem {
  const source = { parameter: key }
  if (path.length > 0) return withoutBrackets(key)
  if (value.length > maxSearchLength) {
    const detail = `'${parameter}' must have at most ${maxSearchLength} characters.`
    return problem('limit-exceeded', detail, source, { limit: maxSearchLength })
  }
  const terms = readSearchTerms(value)
  if (terms.length === 0)
    return problem(
      'invalid-value',
      `'${parameter}' must have at least one word; got '${truncate(value)}'.`,
      source,
    )
  const wordCount = terms.reduce((count, { words }) => count + words.split(' ').length, 0)
  if (wordCount > maxSearchWords) {
    const detail = `'${parameter}' must have at most ${maxSearchWords} words.`
    return problem('limit-exceeded', detail, source, { limit: maxSearchWords })
  }
  return { kind: 'search', fields: model.searched, terms }
}
