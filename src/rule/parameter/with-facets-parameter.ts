import type { Problem } from '../../error/problem.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { RequestedFacet } from '../selection.ts'
import { declaredNames } from './declared-paths.ts'
import { readAggregatedPath } from './read-aggregated-path.ts'
import { readNameList } from './read-name-list.ts'

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
  return {
    baseNames: [parameter],
    describe: () => [
      {
        name: parameter,
        description: `Adds the most frequent values of these members as \`meta.facets\`, with the number of items that have each, at most ${limits.maxFacetValues} for a member. The filters of a member do not narrow its own values.`,
        schema: {
          type: 'array',
          minItems: 1,
          maxItems: limits.maxAggregates,
          items: {
            anyOf: [
              { type: 'string', enum: declaredNames(views, view, limits) },
              { type: 'string', pattern: '^[A-Za-z][\\w-]*(?:\\.[A-Za-z][\\w-]*)+$' },
            ],
          },
        },
        style: 'commaSeparated',
        componentName: `With${toPascalCase(view.model.name)}Facets`,
      },
    ],
    errors: ['unknown-field', 'invalid-aggregate', 'limit-exceeded'],
    read: ([entry]) => {
      const { values, problems } = readNameList(entry!, { noun: 'members', limits }, (name) =>
        readFacet(views, view, name, limits),
      )
      return problems.length > 0 ? refuseParameter(problems) : acceptParameter({ facets: values })
    },
  }
}

function readFacet(
  views: ModelViews,
  view: ModelView,
  name: string,
  limits: RouterLimits,
): RequestedFacet | Problem {
  const path = readAggregatedPath(views, view, name, limits, parameter, 'count the values of')
  return 'code' in path ? path : { name, path: path.path, maxValues: limits.maxFacetValues }
}
