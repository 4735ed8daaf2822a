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
 * The related endpoint and the relationship of each relation, at addresses of their own (JSON:API
 * 1.1, fetching and updating relationships).
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
  const isOne = relation.kind === 'toOne'
  const related = `/${owner.model.plural}/:id/${relation.wireName}`
  const relationship = `/${owner.model.plural}/:id/relationships/${relation.wireName}`
  const { list, resourceOrNull } = documentSchemas(view, views)
  const ok = {
    status: 200,
    parameters: isOne ? plainParameters : pagedParameters,
    serializer,
  } as const
  const items: ResponseShape = isOne
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
  const linkage: ResponseShape = {
    ...ok,
    content: 'linkage',
    contents: linkageDocument(owner, relation, views),
    // Pages of a linkage have none, for they are read item by item.
    headers: { etag: isOne ? 'always' : 'sometimes' },
    description: isOne
      ? 'The identifier of the related resource, or null'
      : 'The identifiers of the related resources',
  }
  const changed: ResponseShape = {
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
  // Nothing is read of what is refused whatever is sent.
  const members = (method: ModelRule['method']) => (isOne ? noRequest : bodyOf(method))
  const whole = isOne || relation.isReplaceable ? bodyOf('PATCH') : noRequest
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
    rule('RelatedGet', { ...target, kind: 'related' }, 'GET', related, noRequest, items),
    rule('RelationshipGet', target, 'GET', relationship, noRequest, linkage),
    rule('RelationshipPost', target, 'POST', relationship, members('POST'), changed),
    rule('RelationshipPatch', target, 'PATCH', relationship, whole, changed),
    rule('RelationshipDelete', target, 'DELETE', relationship, members('DELETE'), changed),
  ]
}
