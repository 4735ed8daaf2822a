import type { ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { type DocumentedParameter, dependsOnKeyword } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { pageSizeSchema } from './describe-page.ts'
import { type IncludeRoot, openRelations } from './include-tree.ts'

/** The name that documentation pages show for additional members. */
const memberNameKeyword = 'x-additionalPropertiesName'
const byPathSchema: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'string', [memberNameKeyword]: 'path' },
}

/**
 * The parameters that filter, sort and page included relations. Page sizes are documented for the
 * relations of the first level only.
 */
export function describeIncludedSelections(
  views: ModelViews,
  { view, onlyRelation }: IncludeRoot,
  limits: RouterLimits,
): readonly DocumentedParameter[] {
  const start = onlyRelation ? `${onlyRelation.wireName}.` : ''
  const nearest = openRelations(
    views,
    onlyRelation ? views.of(onlyRelation.relatedModel) : view,
  ).filter(({ kind }) => kind !== 'toOne')
  if (nearest.length === 0) return []
  return [
    {
      name: 'filterIncluded',
      description:
        'Filters the included items, by included path: an expression as in `filter`. A single comparison is written `filterIncluded[path][field][operator]=value`.',
      schema: byPathSchema,
      style: 'deepObject',
      componentName: 'FilterIncluded',
    },
    {
      name: 'sortIncluded',
      description:
        'Sorts the included items of each item, by included path, as in `sort`. The linkage of the relation has the same order.',
      schema: byPathSchema,
      style: 'deepObject',
      componentName: 'SortIncluded',
    },
    // OpenAPI cannot describe names with two pairs of brackets as one parameter.
    ...nearest.map(
      ({ wireName }): DocumentedParameter => ({
        name: `pageIncluded[${start}${wireName}][size]`,
        description: `Maximum number of included \`${start}${wireName}\` for each item. Needs \`${start}${wireName}\` in \`include\`.`,
        schema: { ...pageSizeSchema(limits), [dependsOnKeyword]: 'include' },
        example: Math.min(5, limits.maxPageSize),
        style: 'plain',
        componentName: `PageIncluded${toPascalCase(start + wireName)}Size`,
      }),
    ),
  ]
}
