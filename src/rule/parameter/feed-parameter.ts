import { type ErrorSource, type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import type { QueryParameterEntry } from '../../http/query-string.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { allOf } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { describeFeed, type FollowedModels } from './describe-feed.ts'
import { readFilter } from './filter-parameter.ts'
import { createFilterNodeCounter, FilterReader } from './filter-reader.ts'

/**
 * The lists whose changes a client follows: `models=books,authors`, with the filter of each list,
 * as in `filter[books][price][lt]=10`.
 *
 * ```ts
 * const parameters = [feedParameter({ views, followed }, limits), changesParameter(limits)]
 * ```
 */
export function feedParameter(models: FollowedModels, limits: RouterLimits): QueryParameter {
  return {
    baseNames: ['models', 'filter'],
    describe: () => describeFeed(models, limits),
    errors: [
      'invalid-value',
      'unknown-parameter',
      'unknown-field',
      'unknown-operator',
      'invalid-filter',
      'limit-exceeded',
    ],
    missing: noModels(),
    read: (entries) => {
      const problems: Problem[] = []
      const named = entries.filter(({ baseName }) => baseName === 'models')
      if (named.length === 0) problems.push(noModels())
      const lists = new Map(
        named.flatMap((entry) => readModels(models, entry, limits, problems)).map(byPlural),
      )
      const filters = entries.filter(({ baseName }) => baseName === 'filter')
      // Without them, no filter can be said to be of another model.
      const isNamed = problems.length === 0
      const conditions = readFilters(models.views, isNamed ? lists : undefined, filters, {
        models,
        limits,
        problems,
      })
      return problems.length > 0
        ? refuseParameter(problems)
        : acceptParameter({ feed: { plurals: [...lists.keys()], conditions } })
    },
  }
}

const byPlural = (view: ModelView): [string, ModelView] => [view.model.plural, view]

/** @param source undefined where the request does not have the parameter */
function noModels(source?: ErrorSource): Problem {
  return problem(
    'invalid-value',
    "'models' must name the lists to follow, separated by commas, as in models=books,authors.",
    source,
  )
}

function readModels(
  models: FollowedModels,
  { key, path, value }: QueryParameterEntry,
  limits: RouterLimits,
  problems: Problem[],
): readonly ModelView[] {
  const source = { parameter: key }
  if (path.length > 0) {
    problems.push(problem('invalid-value', "Write 'models' without brackets.", source))
    return []
  }
  const names = value === '' ? [] : value.split(',')
  if (names.length === 0) problems.push(noModels(source))
  const { maxModelsPerFeed: limit } = limits
  if (names.length > limit) {
    const detail = `'models' must have at most ${limit} names; got ${names.length}.`
    problems.push(problem('limit-exceeded', detail, source, { limit }))
    return []
  }
  return names.flatMap((name, index) => {
    const view = models.followed.find(({ model }) => model.plural === name)
    if (view && names.indexOf(name) === index) return view
    const detail = view
      ? `'models' names '${name}' more than once.`
      : unknownModel(models, name, problems.length)
    problems.push(problem('invalid-value', detail, source))
    return []
  })
}

function unknownModel(
  { views, followed }: FollowedModels,
  name: string,
  problemCount: number,
): string {
  const isOpen = ({ model }: ModelView) => !views.closedModels.has(model)
  const hasNoFeed = views.all.some((view) => view.model.plural === name && isOpen(view))
  const statement = hasNoFeed
    ? `Changes of '${name}' cannot be followed`
    : `No model has the plural '${truncate(name)}'`
  const names = followed.filter(isOpen).map(({ model }) => model.plural)
  return unknownName(statement, name, names, { problemCount })
}

interface FilterReading {
  readonly models: FollowedModels
  readonly limits: RouterLimits
  readonly problems: Problem[]
}

/** @param lists those of `models`; undefined where that is not known */
function readFilters(
  views: ModelViews,
  lists: ReadonlyMap<string, ModelView> | undefined,
  entries: readonly QueryParameterEntry[],
  { models, limits, problems }: FilterReading,
): ReadonlyMap<string, Condition> {
  const nodes = createFilterNodeCounter('The filters of all lists')
  const readers = new Map<string, FilterReader>()
  const conditions = new Map<string, Condition[]>()
  const known = lists ?? new Map(models.followed.map(byPlural))
  for (const entry of entries) {
    const [plural = '', ...path] = entry.path
    const view = known.get(plural)
    if (!view) {
      const detail = `Write a filter with a name of 'models' in the first brackets, as in filter[${[...known.keys()][0]}][id]=1.`
      problems.push(problem('unknown-parameter', detail, { parameter: entry.key }))
      continue
    }
    const reader = readers.get(plural) ?? new FilterReader(views, view, limits, nodes)
    readers.set(plural, reader)
    const condition = readFilter(reader, { ...entry, path }, limits, `filter[${plural}]`)
    conditions.set(plural, [...(conditions.get(plural) ?? []), condition])
  }
  for (const { problems: ofList } of readers.values()) problems.push(...ofList)
  return new Map([...conditions].map(([plural, ofList]) => [plural, allOf(ofList)]))
}
