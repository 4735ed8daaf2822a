import { isReadable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import type { PolicyRule } from '../../rule/rule.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import type { ListOptions } from '../list-alternatives.ts'
import { itemParameters } from '../operation-parameters.ts'
import { relationRules } from '../relation-rules.ts'
import { contentsOf, documentSchemas, linkageDocument } from './document-schemas.ts'
import { exampleLinkage } from './examples.ts'
import { linkageParameters } from './linkage-parameters.ts'
import { listOf, resourceListParameters } from './list-of.ts'
import { mediaType, plainParameters } from './media-types.ts'
import { readRelationship, readRelationshipErrors } from './read-relationship.ts'
import { relationshipBodySchema } from './request-schemas.ts'

/**
 * The operations on the related items and on the relationship of each relation (JSON:API 1.1,
 * fetching and updating relationships).
 */
export function relationshipRules(
  owner: ModelView,
  views: ModelViews,
  limits: RouterLimits,
  serializer: Serializer,
  options: ListOptions,
): readonly PolicyRule[] {
  return owner.model.relations
    .filter((relation) => isReadable(owner, relation))
    .flatMap((relation) => {
      const view = views.of(relation.relatedModel)
      const { resourceOrNull } = documentSchemas(view, views)
      const schema = relationshipBodySchema(relation, views)
      return relationRules(owner, relation, view, {
        serializer,
        mediaTypeParameters: plainParameters,
        noun: 'resource',
        relatedPath: `/${relation.wireName}`,
        linkagePath: `/relationships/${relation.wireName}`,
        list: listOf(view, views, serializer, options),
        itemOrNull: resourceOrNull,
        linkage: linkageDocument(owner, relation, views),
        request: (method) => ({
          mediaTypes: [mediaType],
          contents: contentsOf(schema, () => exampleLinkage(relation, method)),
          errors: readRelationshipErrors,
          read: (document) => readRelationship(document, relation),
        }),
        missingRelatedError: 'related-missing',
        queryParameters: {
          item: itemParameters(view, views, limits),
          list: resourceListParameters(view, views, limits, options),
          linkage: linkageParameters(owner, relation, views, limits),
        },
      })
    })
}
