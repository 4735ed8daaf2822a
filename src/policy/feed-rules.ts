import type { ModelView, ModelViews } from '../model/model-view.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { Contents } from '../rule/contents.ts'
import { changesParameter } from '../rule/parameter/changes-parameter.ts'
import { feedParameter } from '../rule/parameter/feed-parameter.ts'
import { fieldsParameter } from '../rule/parameter/fields-parameter.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { ModelRule, PolicyFeedRule, RuleOf } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { changeSchemas } from './change-schemas.ts'
import { changesResponse } from './changes-response.ts'

/** How a protocol forms what changed in several lists. */
export interface FeedFormat extends Pick<ResponseShape, 'serializer' | 'parameters'> {
  /** The schema of an item of the model in a change. */
  item(view: ModelView): JsonSchema
  /** The document of a page. */
  pageContents(page: JsonSchema): Contents
}

const feedSegment = 'changes'

/**
 * What changed in several lists, at `/changes`, where clients can follow any: in pages, or as
 * events.
 *
 * ```ts
 * const policy: Policy = {
 *   ...bareArrays(),
 *   routerRules: (rules, views, limits) =>
 *     feedRules(rules, views, limits, {
 *       serializer,
 *       parameters: charsetParameters,
 *       item: (view) => flatItemSchemas(view, views).response,
 *       pageContents: (page) => createContents(['application/json'], page),
 *     }),
 * }
 * ```
 *
 * @param rules those of all models
 * @throws RegistrationError if a collection has its path
 */
export function feedRules(
  rules: readonly ModelRule[],
  views: ModelViews,
  limits: RouterLimits,
  { serializer, parameters, item, pageContents }: FeedFormat,
): readonly PolicyFeedRule[] {
  const ofLists = rules.filter(
    (rule): rule is RuleOf<'GetChanges'> =>
      rule.operation === 'GetChanges' && rule.request.kind === 'none',
  )
  if (ofLists.length === 0) return []
  checkFeedPath(views)
  const followed = ofLists.map(({ view }) => view)
  const described = ofLists.filter(({ isAlwaysRefused }) => !isAlwaysRefused)
  const schemas = described.map(({ view }) => changeSchemas(view, item(view)))
  const rule: PolicyFeedRule = {
    operation: 'GetFeed',
    target: { kind: 'feed' },
    method: 'GET',
    path: `/${feedSegment}`,
    parameters: [
      feedParameter({ views, followed }, limits),
      fieldsParameter(views),
      changesParameter(limits),
    ],
    request: { kind: 'none' },
    rules: ofLists,
    response: changesResponse(schemas, {
      serializer,
      parameters,
      pageContents,
      page: { name: 'Changes', rank: 'service' },
    }),
  }
  return [Object.freeze(rule)]
}

function checkFeedPath(views: ModelViews): void {
  const conflict = views.all.find(({ model }) => model.plural === feedSegment)
  if (!conflict) return
  throw new RegistrationError(
    `The path '/${feedSegment}' of the model '${conflict.model.name}' is the path of changes of several models. Set another plural with { plural: '…' }, or the option { changes: { feed: false } }.`,
  )
}
