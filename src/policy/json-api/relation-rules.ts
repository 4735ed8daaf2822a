import type { RelationField } from '../../model/model-description.ts'
import { isReadable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import {
  type LinkageRequest,
  type LinkageTarget,
  type ModelRule,
  type NoRequest,
  noContents,
  type ResponseShape,
} from '../../rule/rule.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import { itemParameters, listParameters } from '../operation-parameters.ts'
import { createRuleMaker } from '../rule-maker.ts'
import { contentsOf, documentSchemas, linkageDocument } from './document-schemas.ts'
import { exampleLinkage } from './examples.ts'
import { linkageParameters } from './linkage-parameters.ts'
import { mediaType, pagedParameters, plainParameters } from './media-types.ts'
import { readRelationship } from './read-relationship.ts'
import { relationshipBodySchema } from './request-schemas.ts'

const noRequest: NoRequest = { kind: 'none' }

/**
 * The operations on the related items and on the relationship of each relation (JSON:API 1.1,
 * fetching and updating relationships).
 */
export function relationRules(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
  serializer: Serializer,
): readonly ModelRule[] {
  return view.model.relations
    .filter((relation) => isReadable(view, relation))
    .flatMap((relation) => rulesOf(view, relation, views, limits, serializer))
}

function rulesOf(
  owner: ModelView,
  relation: RelationField,
  views: ModelViews,
  limits: RouterLimits,
  serializer: Serializer,
): readonly ModelRule[] {
  const view = views.of(relation.relatedModel)
  const isToOne = relation.kind === 'toOne'
  const relatedPath = `/${owner.model.plural}/:id/${relation.wireName}`
  const relationshipPath = `/${owner.model.plural}/:id/relationships/${relation.wireName}`
  const { list, resourceOrNull } = documentSchemas(view, views)
  const ok = {
    status: 200,
    parameters: isToOne ? plainParameters : pagedParameters,
    serializer,
  } as const
  const relatedResponse: ResponseShape = isToOne
    ? {
        ...ok,
        content: 'item',
        contents: resourceOrNull,
        headers: { etag: 'always' },
        description: 'The related resource, or null',
      }
    : {
        ...ok,
        content: 'list',
        contents: list,
        idPointer: '/data/0/id',
        headers: {},
        description: 'The related resources',
      }
  const linkageResponse: ResponseShape = {
    ...ok,
    content: 'linkage',
    contents: linkageDocument(owner, relation, views),
    // Pages of a linkage have no ETag.
    headers: { etag: isToOne ? 'always' : 'sometimes' },
    description: isToOne
      ? 'The identifier of the related resource, or null'
      : 'The identifiers of the related resources',
  }
  const changedResponse: ResponseShape = {
    ...ok,
    status: 204,
    content: 'empty',
    contents: noContents,
    parameters: plainParameters,
    headers: { etag: 'sometimes' },
    description: 'The relationship is changed',
  }
  const schema = relationshipBodySchema(relation, views)
  const bodyOf = (method: ModelRule['method']): LinkageRequest => ({
    kind: 'linkage',
    mediaTypes: [mediaType],
    contents: contentsOf(schema, () => exampleLinkage(relation, method)),
    parameters: plainParameters,
    missingRelatedError: 'related-missing',
    errors: ['type-mismatch'],
    read: (document) => readRelationship(document, relation),
  })
  // Rules that always refuse read no body.
  const memberBody = (method: ModelRule['method']) => (isToOne ? noRequest : bodyOf(method))
  const replacement = isToOne || relation.isReplaceable ? bodyOf('PATCH') : noRequest
  const rule = createRuleMaker(
    { view },
    {
      item: itemParameters(view, views, limits),
      list: listParameters(view, views, limits),
      linkage: linkageParameters(owner, relation, views, limits),
    },
  )
  const target: LinkageTarget = { kind: 'linkage', owner, relation }
  return [
    rule(
      'RelatedGet',
      { ...target, kind: 'related' },
      'GET',
      relatedPath,
      noRequest,
      relatedResponse,
    ),
    rule('RelationshipGet', target, 'GET', relationshipPath, noRequest, linkageResponse),
    rule('RelationshipPost', target, 'POST', relationshipPath, memberBody('POST'), changedResponse),
    rule('RelationshipPatch', target, 'PATCH', relationshipPath, replacement, changedResponse),
    rule(
      'RelationshipDelete',
      target,
      'DELETE',
      relationshipPath,
      memberBody('DELETE'),
      changedResponse,
    ),
  ]
}
