import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { SearchCondition, SearchTerm } from '../../query/query-plan.ts'
import {
  acceptParameter,
  type DocumentedParameter,
  type ParameterResult,
  type QueryParameter,
  refuseParameter,
} from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { RequestedSearch } from '../selection.ts'
import { withoutBrackets } from './parameter-statements.ts'
import { readSearchTerms } from './read-search-terms.ts'
import { type ShownField, shownFields } from './searched-fields.ts'
import { describeSort, readSortEntry, sortErrors, sortParameter } from './sort-parameter.ts'

const parameter = 'search'

/** What a list is searched in, as its clients see it, and how far. */
interface SearchSettings {
  readonly shown: readonly ShownField[]
  readonly limits: RouterLimits
}

function searchParameter(settings: SearchSettings): QueryParameter {
  return {
    baseNames: [parameter],
    describe: () => [describeSearch(settings)],
    errors: searchErrors,
    read: ([entry]) => {
      const search = readSearch(settings, entry!)
      return 'code' in search
        ? refuseParameter([search])
        : acceptParameter({ condition: search, search: requested(settings, search) })
    },
  }
}

/**
 * `search=words`: the items in whose texts all of the words occur, as the model declares them
 * (`search`); none where it declares nothing.
 *
 * ```ts
 * const parameters = [...searchParameters(views, view, limits), pageParameter(limits)]
 * ```
 */
export function searchParameters(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): readonly QueryParameter[] {
  const shown = shownFields(views, view)
  return shown.length === 0 ? [] : [searchParameter({ shown, limits })]
}

/**
 * `search` and `sort` of a list, which is then sorted by `relevance` too.
 */
export function searchAndSortParameters(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): readonly QueryParameter[] {
  const shown = shownFields(views, view)
  if (shown.length === 0) return [sortParameter(views, view, limits)]
  const settings = { shown, limits }
  const both: QueryParameter = {
    baseNames: [parameter, 'sort'],
    describe: () => [describeSearch(settings), describeSort(views, view, limits)],
    errors: [...new Set([...searchErrors, ...sortErrors])],
    read: (entries) => readSearchAndSort(views, view, entries, settings),
  }
  return [both]
}

function readSearchAndSort(
  views: ModelViews,
  view: ModelView,
  entries: readonly QueryParameterEntry[],
  settings: SearchSettings,
): ParameterResult {
  const entryOf = (name: string) => entries.find(({ baseName }) => baseName === name)
  const [searched, sorted] = [entryOf(parameter), entryOf('sort')]
  const search = searched && readSearch(settings, searched)
  const isRefused = search && 'code' in search
  // What is wrong with the search is said once.
  const relevant = isRefused ? emptySearch : search
  const sort = sorted && readSortEntry(views, view, sorted, settings.limits, relevant ?? 'nothing')
  const problems = [
    ...(isRefused ? [search] : []),
    ...(sort?.kind === 'refused' ? sort.problems : []),
  ]
  if (problems.length > 0) return refuseParameter(problems)
  return acceptParameter({
    ...(search && !isRefused && { condition: search, search: requested(settings, search) }),
    ...(sort?.kind === 'accepted' && { sort: sort.keys }),
  })
}

/** The names are in the order of the fields of the condition. */
function requested({ shown }: SearchSettings, condition: SearchCondition): RequestedSearch {
  return { condition, names: shown.map(({ name }) => name) }
}

const emptySearch: SearchCondition = { kind: 'search', fields: [], terms: [] }

const searchErrors = ['unknown-parameter', 'invalid-value', 'limit-exceeded'] as const

function describeSearch({
  shown,
  limits: { maxSearchLength },
}: SearchSettings): DocumentedParameter {
  return {
    name: parameter,
    description: `Words that occur in ${shown.map(({ name }) => `\`${name}\``).join(', ')}, whatever their case and accents: each in any of these. The last word may be the beginning of one. Quotes ask for a phrase, and a minus excludes what follows it.`,
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

/** Long terms are in few items as a rule, and stores ask their indexes for the first ones. */
function longestFirst(terms: readonly SearchTerm[]): readonly SearchTerm[] {
  return [...terms].sort((one, other) => other.words.length - one.words.length)
}

function readSearch(
  { shown, limits: { maxSearchWords, maxSearchLength } }: SearchSettings,
  { key, path, value }: QueryParameterEntry,
): SearchCondition | Problem {
  const source = { parameter: key }
  if (path.length > 0) return withoutBrackets(key)
  // In code points, as `maxLength` of JSON Schema counts.
  if (value.length > 2 * maxSearchLength || [...value].length > maxSearchLength) {
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
  return { kind: 'search', fields: shown.map(({ field }) => field), terms: longestFirst(terms) }
}
