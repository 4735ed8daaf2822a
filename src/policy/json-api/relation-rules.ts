import type { RelationField } from '../../model/description.ts'
import { isReadable, type ModelView, type Views } from '../../model/model-view.ts'
import type { Limits } from '../../rule/limits.ts'
import { type ModelRule, noContents, type RequestShape, type ResponseShape } from '../../rule/rule.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import { itemParameters, listParameters } from '../parameters.ts'
import { ruleMaker } from '../rule-maker.ts'
import { contentsOf, documentSchemas, linkageDocument } from './document-schemas.ts'
import { exampleLinkage } from './examples.ts'
import { linkageParameters } from './linkage-parameters.ts'
import { mediaType, paged, plain } from './media.ts'
import { readRelationship } from './read-relationship.ts'
import { relationshipBody } from './taken-schemas.ts'

const none: RequestShape = { kind: 'none' }

/** The related endpoint and the relationship of each relation, at addresses of their own (JSON:API 1.1, fetching and updating relationships). */
export function relationRules(
  view: ModelView,
  views: Views,
  limits: Limits,
  serializer: Serializer,
): readonly ModelRule[] {
  return view.model.relations
    .filter((relation) => isReadable(view, relation))
    .flatMap((relation) => rulesOf(view, relation, views, limits, serializer))
}

function rulesOf(
  owner: ModelView,
  relation: RelationField,
  views: Views,
  limits: Limits,
  serializer: Serializer,
): readonly ModelRule[] {
  const view = views.of(relation.target)
  const isOne = relation.kind === 'toOne'
  const related = `/${owner.model.plural}/:id/${relation.wire}`
  const relationship = `/${owner.model.plural}/:id/relationships/${relation.wire}`
  const { list, oneOrNull } = documentSchemas(view, views)
  const ok = { status: 200, parameters: isOne ? plain : paged, serializer } as const
  const items: ResponseShape = isOne
    ? {
        ...ok,
        content: 'item',
        contents: oneOrNull,
        headers: { etag: 'always' },
        description: 'The related resource, or null',
      }
    : { ...ok, content: 'list', contents: list, idAt: '/data/0/id', headers: {}, description: 'The related resources' }
  const linkage: ResponseShape = {
    ...ok,
    content: 'linkage',
    contents: linkageDocument(owner, relation, views),
    // Pages of a linkage have none, for they are read item by item.
    headers: { etag: isOne ? 'always' : 'sometimes' },
    description: isOne ? 'The identifier of the related resource, or null' : 'The identifiers of the related resources',
  }
  const changed: ResponseShape = {
    ...ok,
    status: 204,
    content: 'empty',
    contents: noContents,
    parameters: plain,
    headers: { etag: 'sometimes' },
    description: 'The relationship is changed',
  }
  const schema = relationshipBody(relation, views)
  const bodyOf = (method: ModelRule['method']): RequestShape => ({
    kind: 'linkage',
    mediaTypes: [mediaType],
    contents: contentsOf(schema, () => exampleLinkage(relation, method)),
    parameters: plain,
    missingRelated: 'related-missing',
    errors: ['type-mismatch'],
    read: (document) => readRelationship(document, relation),
  })
  // Nothing is read of what is refused whatever is sent.
  const members = (method: ModelRule['method']) => (isOne ? none : bodyOf(method))
  const whole = isOne || relation.replaceable ? bodyOf('PATCH') : none
  const rule = ruleMaker(
    { view, through: { view: owner, relation } },
    {
      item: itemParameters(view, views, limits),
      list: listParameters(view, views, limits),
      linkage: linkageParameters(owner, relation, views, limits),
    },
  )
  return [
    rule('RelatedGet', 'GET', related, none, items),
    rule('RelationshipGet', 'GET', relationship, none, linkage),
    rule('RelationshipPost', 'POST', relationship, members('POST'), changed),
    rule('RelationshipPatch', 'PATCH', relationship, whole, changed),
    rule('RelationshipDelete', 'DELETE', relationship, members('DELETE'), changed),
  ]
}
