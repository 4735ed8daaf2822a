import { type Problem, problem } from '../../error/problem.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { RequestedAggregate } from '../selection.ts'
import { describeGroupFilters, describeGroupSort } from './describe-groups.ts'
import { groupColumns, readGroupFilters, readGroupSort } from './group-columns.ts'
import { groupKeyList, type ReadGroupKey, tooManyLists } from './group-keys.ts'
import { describeNameList, type NameList, nameListErrors, readNameList } from './name-list.ts'
import { describeTimeZone, readTimeZone } from './time-zone.ts'
import { aggregateList } from './with-aggregates-parameter.ts'

/**
 * The groups of a list: `groupBy` with `timeZone`, `withAggregates`, and `filterGroups` and `sort`,
 * which name what these have.
 */
export function groupsParameter(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): QueryParameter {
  const keyList = groupKeyList(views, view, limits)
  const functionList = aggregateList(views, view, limits, {
    description: 'What the items of each group add up to',
    componentName: `WithGrouped${toPascalCase(view.model.name)}Aggregates`,
  })
  return {
    baseNames: ['groupBy', 'withAggregates', 'timeZone', 'filterGroups', 'sort'],
    describe: () => [
      { ...describeNameList(keyList), isRequired: true, example: exampleOf(keyList) },
      describeNameList(functionList),
      describeTimeZone,
      ...describeGroupFilters(views, view, limits),
      describeGroupSort(views, view, limits),
    ],
    errors: [
      ...nameListErrors,
      'invalid-value',
      'invalid-filter',
      'invalid-sort',
      'unknown-operator',
    ],
    missing: noKeys(),
    read: (entries) => {
      const of = (baseName: string) => entries.filter((entry) => entry.baseName === baseName)
      const problems: Problem[] = []
      const keys = readNameList(keyList, of('groupBy'))
      if (of('groupBy').length === 0) problems.push(noKeys())
      const functions = readNameList(functionList, of('withAggregates'))
      problems.push(
        ...keys.problems,
        ...tooManyLists(keys.values),
        ...functions.problems,
        ...sameNames(keys.values, functions.values),
      )
      const timeZone = readTimeZone(of('timeZone'), problems)
      const requestedKeys = keys.values.map(({ key }) =>
        key.part && timeZone !== undefined ? { ...key, timeZone } : key,
      )
      const requested = [...of('groupBy'), ...of('withAggregates')]
      const columns = groupColumns(
        requestedKeys,
        functions.values,
        new Set(requested.flatMap(({ value }) => value.split(','))),
        { groupBy: keyList.listed, withAggregates: functionList.listed },
      )
      const groups = {
        keys: requestedKeys,
        aggregates: functions.values,
        condition: readGroupFilters(views, view, limits, columns, of('filterGroups'), problems),
        sort: readGroupSort(columns, limits, of('sort'), problems),
        maxGroups: limits.maxGroups,
      }
      return problems.length > 0 ? refuseParameter(problems) : acceptParameter({ groups })
    },
  }
}

/** Undefined where the model declares only members that no document may list. */
function exampleOf({ listed }: NameList<ReadGroupKey>): readonly string[] | undefined {
  const [name] = listed()
  return name === undefined ? undefined : [name]
}

/** A member may be named `count` too. */
function sameNames(
  keys: readonly ReadGroupKey[],
  functions: readonly RequestedAggregate[],
): readonly Problem[] {
  return functions
    .filter(({ name }) => keys.some(({ key }) => key.name === name))
    .map(({ name }) =>
      problem(
        'invalid-aggregate',
        `'${name}' stands for a member in 'groupBy', and for the number of items here. Ask for one of them.`,
        { parameter: 'withAggregates' },
      ),
    )
}

function noKeys(): Problem {
  return problem(
    'invalid-aggregate',
    "'groupBy' must name the members to group by, separated by commas, as in groupBy=author,year(publishedAt).",
  )
}
