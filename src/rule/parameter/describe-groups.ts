import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { ScalarType } from '../../model/value-type.ts'
import type { DocumentedParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { listedAggregates } from './aggregate-schemas.ts'
import { filterableValue } from './filter-operators.ts'
import { filterSchema } from './filter-schema.ts'
import { listedGroupKeys } from './group-keys.ts'

/** The parameters of others follow from the description of these. */
const maxListedFilters = 8

export function describeGroupFilters(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): readonly DocumentedParameter[] {
  const listed = [
    countColumn,
    ...listedGroupKeys(views, view, limits).filter(({ name }) => name !== countColumn.name),
  ].slice(0, maxListedFilters)
  return listed.map(({ name, type }) => {
    const schema = filterSchema(filterableValue(type), limits)
    return {
      name: `filterGroups[${name}]`,
      description: `Keeps the groups whose \`${name}\` fits, which \`groupBy\` or \`withAggregates\` has to name. Any name of these may stand in the brackets, as in \`filterGroups[sum(price)][gte]=10\`; see \`filter\` for the operators.`,
      schema,
      style: 'deepObject',
      componentName: `Grouped${schema.component!.name}${toPascalCase(name)}`,
    }
  })
}

const countColumn: { readonly name: string; readonly type: ScalarType } = {
  name: 'count',
  type: { kind: 'integer' },
}

export function describeGroupSort(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): DocumentedParameter {
  const keys = listedGroupKeys(views, view, limits).map(({ name }) => name)
  const names = [...keys, ...listedAggregates(views, view, limits)]
  return {
    name: 'sort',
    description:
      'Names of `groupBy` and `withAggregates`, separated by commas. A leading minus sorts descending. Ties, and groups without `sort`, are in the order of their keys.',
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: limits.maxSortKeys,
      items: {
        anyOf: [
          { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) },
          { type: 'string', pattern: '^-?[A-Za-z][\\w.-]*(?:\\([A-Za-z][\\w.-]*\\))?$' },
        ],
      },
    },
    style: 'commaSeparated',
    componentName: `Grouped${toPascalCase(view.model.name)}Sort`,
  }
}
