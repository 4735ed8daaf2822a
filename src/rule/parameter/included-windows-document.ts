import type { Views } from '../../model/model-view.ts'
import { pascalOf } from '../../model/naming.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { Limits } from '../limits.ts'
import { type DocumentedParameter, dependsOn } from '../parameter.ts'
import { type Root, relationsOf } from './include-tree.ts'
import { sizeSchema } from './page-document.ts'

/** Names the members where documentation pages show them: they would call them unknown. */
const memberName = 'x-additionalPropertiesName'
const byPath: JsonSchema = { type: 'object', additionalProperties: { type: 'string', [memberName]: 'path' } }

/** The windows of included relations. Sizes are listed for the nearest relations; those of further ones are written alike. */
export function documentedWindows(views: Views, { view, first }: Root, limits: Limits): readonly DocumentedParameter[] {
  const start = first ? `${first.wire}.` : ''
  const nearest = relationsOf(first ? views.of(first.target) : view).filter(({ kind }) => kind !== 'toOne')
  if (nearest.length === 0) return []
  return [
    {
      name: 'filterIncluded',
      description:
        'Which of the items that `include` asks for come along, by included path: an expression, as in `filter`. Single comparisons are written `filterIncluded[path][field][operator]`.',
      schema: byPath,
      written: 'members',
      shared: 'FilterIncluded',
    },
    {
      name: 'sortIncluded',
      description:
        'By what the items that `include` asks for are sorted within each item, by included path, as in `sort`: the relation names them in this order.',
      schema: byPath,
      written: 'members',
      shared: 'SortIncluded',
    },
    // Names with two pairs of brackets cannot be the members of one parameter.
    ...nearest.map(
      ({ wire }): DocumentedParameter => ({
        name: `pageIncluded[${start}${wire}][size]`,
        description: `At most how many \`${start}${wire}\` are included of each item; only where \`include\` names \`${start}${wire}\`.`,
        schema: { ...sizeSchema(limits), [dependsOn]: 'include' },
        example: Math.min(5, limits.maxPageSize),
        written: 'plain',
        shared: `PageIncluded${pascalOf(start + wire)}Size`,
      }),
    ),
  ]
}
