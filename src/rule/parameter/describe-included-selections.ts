import type { ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { type DocumentedParameter, dependsOnKeyword } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { pageSizeSchema } from './describe-page.ts'
import { type IncludeRoot, readableRelations } from './include-tree.ts'

/** Names the members where documentation pages show them: they would call them unknown. */
const memberNameKeyword = 'x-additionalPropertiesName'
const byPathSchema: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'string', [memberNameKeyword]: 'path' },
}

/**
 * The windows of included relations. Sizes are listed for the nearest relations; those of further
 * ones are written alike.
 */
export function describeIncludedSelections(
  views: ModelViews,
  { view, onlyRelation }: IncludeRoot,
  limits: RouterLimits,
): readonly DocumentedParameter[] {
  const start = onlyRelation ? `${onlyRelation.wireName}.` : ''
  const nearest = readableRelations(
    onlyRelation ? views.of(onlyRelation.relatedModel) : view,
  ).filter(({ kind }) => kind !== 'toOne')
  if (nearest.length === 0) return []
  return [
    {
      name: 'filterIncluded',
      description:
        'Which of the items that `include` asks for come along, by included path: an expression, as in `filter`. Single comparisons are written `filterIncluded[path][field][operator]`.',
      schema: byPathSchema,
      style: 'members',
      componentName: 'FilterIncluded',
    },
    {
      name: 'sortIncluded',
      description:
        'By what the items that `include` asks for are sorted within each item, by included path, as in `sort`: the relation names them in this order.',
      schema: byPathSchema,
      style: 'members',
      componentName: 'SortIncluded',
    },
    // Names with two pairs of brackets cannot be the members of one parameter.
    ...nearest.map(
      ({ wireName }): DocumentedParameter => ({
        name: `pageIncluded[${start}${wireName}][size]`,
        description: `At most how many \`${start}${wireName}\` are included of each item; only where \`include\` names \`${start}${wireName}\`.`,
        schema: { ...pageSizeSchema(limits), [dependsOnKeyword]: 'include' },
        example: Math.min(5, limits.maxPageSize),
        style: 'plain',
        componentName: `PageIncluded${toPascalCase(start + wireName)}Size`,
      }),
    ),
  ]
}
