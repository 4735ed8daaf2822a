import { yieldIfBusy } from '../concurrency/yield-to-event-loop.ts'
import { type Context, contextOfPart } from '../context/context.ts'
import { encodeChanges } from '../document/encode-changes.ts'
import type { ErrorSource } from '../error/problem.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { requestAtPath } from '../http/derived-request.ts'
import { changesOf } from '../operation/changes/unread-changes.ts'
import type { ListToFollow } from '../operation/operation-input.ts'
import { always } from '../query/conditions.ts'
import type { Selection } from '../rule/selection.ts'
import { noProfiles } from './apply-profiles.ts'
import { sinceOf } from './changes-input.ts'
import type { FeedEndpoint, ListEndpoint } from './feed-endpoint.ts'
import { forEachList } from './for-each-list.ts'
import { negotiate } from './negotiate.ts'
import { preferredEndpoint } from './preferred-endpoint.ts'
import type { RouterServices } from './router-services.ts'
import { runRequestHooks, withHookHeaders } from './run-request-hooks.ts'
import { startStream } from './start-stream.ts'

/**
 * Handles a request for the changes of several models. Each list passes the request hooks and the
 * narrowing of its own rule, as if the client followed it alone.
 */
export async function handleFeed(
  services: RouterServices,
  routed: FeedEndpoint,
  context: Context,
): Promise<ApiResponse> {
  const { request } = context
  const endpoint = routed.alternatives
    ? preferredEndpoint(routed, routed.alternatives, request)
    : routed
  negotiate(endpoint.rule, request) //                                                    406
  const hookResponse = await runRequestHooks(endpoint.hooks.request, context) //          401 403 …
  if (hookResponse) return withHookHeaders(hookResponse, context)
  const selection = endpoint.select(request.query) //                                     400
  const lists = selectedLists(services, endpoint, selection, context)
  const responses = await forEachList(lists, runListHooks) //                             401 403 …
  const listResponse = responses.find((response) => response !== undefined)
  if (listResponse) return withHookHeaders(listResponse, context)
  await yieldIfBusy(context)
  const changes = await changesOf({
    context,
    feed: endpoint.feed,
    ...sinceOf(context, selection),
    lists: await forEachList(lists, narrowList), //                                       400
    listSource: modelsParameter,
    reader: services.wholeStore,
  })
  const changesContext = {
    services,
    endpoint,
    selection,
    context,
    profiles: noProfiles,
    changesPosition: undefined,
  }
  const response = await encodeChanges(changesContext, changes) //                        410 429
  return response.body.kind === 'stream' ? startStream(response, context) : response
}

const modelsParameter: ErrorSource = Object.freeze({ parameter: 'models' })

/** A list as a request of its own. */
interface SelectedList {
  readonly list: ListEndpoint
  readonly context: Context
  readonly selection: Selection
}

function selectedLists(
  { basePath }: Pick<RouterServices, 'basePath'>,
  endpoint: FeedEndpoint,
  selection: Selection,
  context: Context,
): readonly SelectedList[] {
  const { plurals, conditions } = selection.feed!
  return plurals.map((plural) => {
    const list = endpoint.lists.get(plural)!
    const { rule } = list.endpoint
    const request = requestAtPath(context.request, basePath + rule.path)
    return {
      list,
      context: contextOfPart(context, request, rule, {}),
      selection: { ...selection, condition: conditions.get(plural) ?? always },
    }
  })
}

async function runListHooks({
  list: { endpoint },
  context,
  selection,
}: SelectedList): Promise<ApiResponse | undefined> {
  const { hooks, relatedHooks } = endpoint
  const response = await runRequestHooks(hooks.request, context)
  return response ?? runRequestHooks(relatedHooks?.(selection, undefined) ?? [], context)
}

async function narrowList({ list, context, selection }: SelectedList): Promise<ListToFollow> {
  const pagedPlan = await list.endpoint.narrow(selection, context)
  return list.toFollow({ context, pagedPlan, selection, payload: undefined })
}
