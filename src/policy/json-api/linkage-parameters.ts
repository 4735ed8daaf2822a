import type { RelationField } from '../../model/description.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import type { Limits } from '../../rule/limits.ts'
import { fieldsParameter } from '../../rule/parameter/fields.ts'
import { includeParameter } from '../../rule/parameter/include.ts'
import { narrowing } from '../../rule/parameter/list-parameters.ts'
import type { Parameter } from '../../rule/parameter.ts'

/** What may be asked of a relationship: its items are narrowed as lists are, but included paths begin with the relation itself. */
export function linkageParameters(
  owner: ModelView,
  relation: RelationField,
  views: Views,
  limits: Limits,
): readonly Parameter[] {
  const related = relation.kind === 'toOne' ? [] : narrowing(views.of(relation.target), views, limits)
  return [...related, fieldsParameter(views), includeParameter(views, owner, limits, relation)]
}
