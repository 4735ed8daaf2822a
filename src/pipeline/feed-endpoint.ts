import type { ChangesEndpoint } from '../document/response-context.ts'
import type { Hooks } from '../middleware/hooks.ts'
import type { ChangeFeed } from '../operation/changes/change-feed.ts'
import type { ListToFollow } from '../operation/operation-input.ts'
import { createParameterReader } from '../rule/parameter/parameter-reader.ts'
import { inOtherType } from '../rule/response-shape.ts'
import type { FeedRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import { feedOf, listToFollow } from './changes-input.ts'
import { type ModelEndpoint, representersOf } from './model-endpoint.ts'
import { compileListCondition } from './narrow.ts'
import type { OperationRequest } from './operation-inputs.ts'
import type { RouterServices } from './router-services.ts'

/** The rule for changes of several models, with everything that is decided at registration. */
export interface FeedEndpoint extends ChangesEndpoint {
  readonly kind: 'feed'
  readonly rule: FeedRule
  readonly hooks: Hooks
  /** The endpoints for streams; undefined where there are none. */
  readonly alternatives: readonly FeedEndpoint[] | undefined
  /** By the plural of the model. */
  readonly lists: ReadonlyMap<string, ListEndpoint>
  readonly feed: ChangeFeed
  select(query: string): Selection
}

/** A list of the feed. */
export interface ListEndpoint {
  /** That of `GetChanges`, whose hooks and parameters hold in the feed too. */
  readonly endpoint: ModelEndpoint
  toFollow(request: OperationRequest<unknown>): ListToFollow
}

/** @param endpoints of all models */
export function feedEndpoint(
  services: RouterServices,
  rule: FeedRule,
  hooks: Hooks,
  endpoints: readonly ModelEndpoint[],
): FeedEndpoint {
  const byRule = new Map(endpoints.map((endpoint) => [endpoint.rule, endpoint]))
  const lists = new Map(
    rule.rules.map((ofList) => {
      const endpoint = byRule.get(ofList)!
      const listCondition = compileListCondition(services, ofList.view.model, endpoint.hooks.query)
      const toFollow = listToFollow(ofList, { services, listCondition })
      return [ofList.view.model.plural, { endpoint, toFollow }]
    }),
  )
  const endpoint: FeedEndpoint = {
    kind: 'feed',
    rule,
    hooks,
    alternatives: undefined,
    serializer: rule.response.serializer,
    representers: representersOf(services),
    lists,
    feed: feedOf(services, rule.path),
    select: createParameterReader(rule.parameters),
  }
  const alternatives = rule.response.alternatives?.map((alternative) => ({
    ...endpoint,
    rule: Object.freeze({ ...rule, response: inOtherType(rule.response, alternative) }),
    serializer: alternative.serializer,
  }))
  return { ...endpoint, alternatives }
}
