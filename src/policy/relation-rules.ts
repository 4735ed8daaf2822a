import type { RelationField } from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import { isReadOnlyRelation } from '../model/relation-kinds.ts'
import { noContents } from '../rule/contents.ts'
import type { LinkageRequest, NoRequest } from '../rule/request-shape.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { Method, PolicyRule } from '../rule/rule.ts'
import type { LinkageTarget } from '../rule/target.ts'
import type { ModelFormat } from './model-format.ts'
import { withQuery } from './query-rule.ts'
import { createRuleMaker, type ParametersByContent } from './rule-maker.ts'

/** How a protocol forms the requests and responses about one relation. */
export interface RelationFormat
  extends Pick<
    ModelFormat,
    'serializer' | 'mediaTypeParameters' | 'noun' | 'missingRelatedError' | 'list'
  > {
  /** The paths of the related items and of their ids, below the path of the item. */
  readonly relatedPath: string
  readonly linkagePath: string
  /** The related item, or null. */
  readonly itemOrNull: ResponseShape['contents']
  readonly linkage: ResponseShape['contents']
  request(method: Method): Pick<LinkageRequest, 'mediaTypes' | 'contents' | 'errors' | 'read'>
  readonly queryParameters: ParametersByContent
}

const noRequest: NoRequest = { kind: 'none' }

/**
 * The operations on the related items of a relation, and on their ids.
 *
 * ```ts
 * const rules = view.model.relations.flatMap((relation) =>
 *   relationRules(view, relation, views.of(relation.relatedModel), relationFormat),
 * )
 * ```
 *
 * @param view the related model
 */
export function relationRules(
  owner: ModelView,
  relation: RelationField,
  view: ModelView,
  format: RelationFormat,
): readonly PolicyRule[] {
  const { serializer, mediaTypeParameters, noun, list } = format
  const isToOne = relation.kind === 'toOne'
  const itemPath = `/${owner.model.plural}/:id`
  const linkagePath = itemPath + format.linkagePath
  const ok = { status: 200, parameters: mediaTypeParameters, serializer } as const
  const related: ResponseShape = isToOne
    ? {
        ...ok,
        content: 'item',
        contents: format.itemOrNull,
        headers: { etag: 'always' },
        description: `The related ${noun}, or null`,
      }
    : { ...ok, content: 'list', ...list, description: `The related ${noun}s` }
  const linkage: ResponseShape = {
    ...ok,
    parameters: related.parameters,
    content: 'linkage',
    contents: format.linkage,
    // Pages of a linkage have no ETag.
    headers: { etag: isToOne ? 'always' : 'sometimes' },
    description: isToOne
      ? `The identifier of the related ${noun}, or null`
      : `The identifiers of the related ${noun}s`,
  }
  const changed: ResponseShape = {
    ...ok,
    status: 204,
    content: 'empty',
    contents: noContents,
    headers: { etag: 'sometimes' },
    description: 'The relationship is changed',
  }
  const bodyOf = (method: Method): LinkageRequest => ({
    ...format.request(method),
    kind: 'linkage',
    parameters: mediaTypeParameters,
    missingRelatedError: format.missingRelatedError,
  })
  // Rules that always refuse read no body.
  const isReadOnly = isReadOnlyRelation(relation)
  const memberBody = (method: Method) => (isToOne || isReadOnly ? noRequest : bodyOf(method))
  const isReplaceable = isReadOnly || isToOne || relation.isReplaceable
  const replacement = isReplaceable ? bodyOf('PATCH') : noRequest
  const rule = createRuleMaker({ view }, format.queryParameters)
  const target: LinkageTarget = { kind: 'linkage', owner, relation }
  const reads = [
    rule(
      'RelatedGet',
      { ...target, kind: 'related' },
      'GET',
      itemPath + format.relatedPath,
      noRequest,
      related,
    ),
    rule('RelationshipGet', target, 'GET', linkagePath, noRequest, linkage),
  ] as const
  const [getRelated, getLinkage] = reads
  return [
    ...(isToOne ? reads : [...withQuery(getRelated), ...withQuery(getLinkage)]),
    rule('RelationshipPost', target, 'POST', linkagePath, memberBody('POST'), changed),
    rule('RelationshipPatch', target, 'PATCH', linkagePath, replacement, changed),
    rule('RelationshipDelete', target, 'DELETE', linkagePath, memberBody('DELETE'), changed),
  ]
}
