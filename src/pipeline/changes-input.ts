import type { Context } from '../context/context.ts'
import { resolvedRelations } from '../document/represent.ts'
import type { ErrorSource } from '../error/problem.ts'
import type { ModelView } from '../model/model-view.ts'
import type { ChangeFeed } from '../operation/changes/change-feed.ts'
import type { ChangesInput, FeedInput, ListToFollow } from '../operation/operation-input.ts'
import type { RuleOf } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { InputSettings, OperationCall, OperationRequest } from './operation-inputs.ts'
import type { OperationServices } from './operation-services.ts'

/** @throws Error for a rule about changes on a router that does not log them */
export function changesInput(
  rule: RuleOf<'GetChanges'>,
  settings: InputSettings,
): (call: OperationCall<unknown>) => ChangesInput {
  const { guards, wholeStore: reader } = settings.services
  const { view, path } = rule
  const feed = feedOf(settings.services, path)
  const listOf = listToFollow(rule, settings)
  return (call) => {
    const { store, context, pagedPlan, selection } = call
    const lists = [listOf(call)]
    const { since, sinceSource } = sinceOf(context, selection)
    const { plan } = pagedPlan
    const followed = { feed, reader, since, sinceSource, lists, listSource: filterParameter }
    return { store, view, context, guards, plan, ...followed }
  }
}

/** @throws Error if the router has none */
export function feedOf(
  { changeFeed }: Pick<OperationServices, 'changeFeed'>,
  path: string,
): ChangeFeed {
  if (changeFeed) return changeFeed
  throw new Error(
    `The path '${path}' serves changes; expected the option 'changes' of createRouter().`,
  )
}

/** Compiles which list a request follows. */
export function listToFollow(
  { view }: RuleOf<'GetChanges'>,
  { services, listCondition }: Pick<InputSettings, 'services' | 'listCondition'>,
): (request: OperationRequest<unknown>) => ListToFollow {
  const { guards } = services
  const { resolved, isMapped } = linksOf(services, view)
  return ({ context, pagedPlan, selection }) => ({
    view,
    context,
    guards,
    plan: pagedPlan.plan,
    clientCondition: selection.condition,
    conditionFor: (other) => listCondition(selection, other),
    resolved,
    isMapped,
  })
}

/** Where the client begins. A browser sends `Last-Event-ID` when it connects again. */
export function sinceOf(
  { request }: Pick<Context, 'request'>,
  { changes }: Selection,
): Pick<FeedInput, 'since' | 'sinceSource'> {
  const lastEventId = request.headers['last-event-id'] || undefined
  return lastEventId === undefined
    ? { since: changes?.since, sinceSource: sinceParameter }
    : { since: lastEventId, sinceSource: lastEventIdHeader }
}

/** The other items that decide what is sent of an item. */
export function linksOf(
  { mappers, guards }: Pick<OperationServices, 'mappers' | 'guards'>,
  { model }: ModelView,
): Pick<ListToFollow, 'resolved' | 'isMapped'> {
  return {
    resolved: resolvedRelations({ mappers, guards }, model),
    isMapped: (mappers.get(model) ?? []).length > 0,
  }
}

const filterParameter: ErrorSource = Object.freeze({ parameter: 'filter' })
const sinceParameter: ErrorSource = Object.freeze({ parameter: 'since' })
const lastEventIdHeader: ErrorSource = Object.freeze({ header: 'Last-Event-ID' })
