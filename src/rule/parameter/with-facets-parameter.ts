import { type Problem, problem } from '../../error/problem.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { QueryParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { RequestedFacet } from '../selection.ts'
import { declaredNames } from './declared-paths.ts'
import { dateParts } from './group-keys.ts'
import { nameListParameter } from './name-list.ts'
import { readAggregatedPath } from './read-aggregated-path.ts'

const parameter = 'withFacets'

/**
 * `withFacets=genres,inStock`: the most frequent values of members, and how many items have each.
 *
 * ```ts
 * const parameters = [withFacetsParameter(views, view, limits), pageParameter(limits)]
 * ```
 */
export function withFacetsParameter(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): QueryParameter {
  return nameListParameter(
    {
      name: parameter,
      description: `Adds the most frequent values of these members as \`meta.facets\`, with the number of items that have each, at most ${limits.maxFacetValues} for a member. The filters of a member do not narrow its own values.`,
      noun: 'members',
      limit: limits.maxAggregates,
      componentName: `With${toPascalCase(view.model.name)}Facets`,
      listed: () => declaredNames(views, view, limits),
      pattern: '^[A-Za-z][\\w-]*(?:\\.[A-Za-z][\\w-]*)+$',
      read: (name) => readFacet(views, view, name, limits),
    },
    (facets) => ({ facets }),
  )
}

const call = /^(\w+)\((.*)\)$/s

function readFacet(
  views: ModelViews,
  view: ModelView,
  name: string,
  limits: RouterLimits,
): RequestedFacet | Problem {
  const [, functionName, member = ''] = call.exec(name) ?? []
  if (declaredNames(views, view, limits).includes(member)) {
    const isPart = dateParts.some((part) => part === functionName)
    const meant = isPart
      ? `Groups count items by it: 'groupBy=${name}'.`
      : `Did you mean '${member}'?`
    return problem(
      'invalid-aggregate',
      `'${parameter}' takes members without functions. ${meant}`,
      { parameter },
    )
  }
  const path = readAggregatedPath(views, view, name, limits, parameter, 'count the values of')
  return 'code' in path ? path : { name, path: path.path, maxValues: limits.maxFacetValues }
}
