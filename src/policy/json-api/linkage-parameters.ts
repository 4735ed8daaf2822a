import type { RelationField } from '../../model/model-description.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { collectionParameters } from '../../rule/parameter/collection-parameters.ts'
import { fieldsParameter } from '../../rule/parameter/fields-parameter.ts'
import { includeParameter } from '../../rule/parameter/include-parameter.ts'
import type { QueryParameter } from '../../rule/query-parameter.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'

/** The query parameters of a relationship; paths of `include` begin with the relation itself. */
export function linkageParameters(
  owner: ModelView,
  relation: RelationField,
  views: ModelViews,
  limits: RouterLimits,
): readonly QueryParameter[] {
  const related =
    relation.kind === 'toOne'
      ? []
      : collectionParameters(views.of(relation.relatedModel), views, limits)
  return [...related, fieldsParameter(views), includeParameter(views, owner, limits, relation)]
}
