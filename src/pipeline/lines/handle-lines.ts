import type { Context } from '../../context/context.ts'
import { responseHeaders } from '../../document/response-context.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import type { ApiRequest } from '../../http/api-request.ts'
import type { ApiResponse } from '../../http/api-response.ts'
import { accepts } from '../../http/headers/accept.ts'
import { parseMediaType } from '../../http/headers/media-type.ts'
import { parseQuery } from '../../http/query-string.ts'
import type { ItemLines } from '../../rule/item-lines.ts'
import type { ItemRequest } from '../../rule/request-shape.ts'
import { defaultSelection } from '../../rule/selection.ts'
import { hookResponseErrors } from '../batch-errors.ts'
import { requireBody } from '../decode.ts'
import { prefersDeferral } from '../deferral.ts'
import { DeferredRequest } from '../deferred-request.ts'
import type { ModelEndpoint } from '../model-endpoint.ts'
import { refuseUnsupportedBody } from '../negotiate.ts'
import type { RouterServices } from '../router-services.ts'
import { runRequestHooks, withHookHeaders } from '../run-request-hooks.ts'
import { startStream } from '../start-stream.ts'
import { withCheckedExtent, withCheckedStart } from './check-arriving-lines.ts'
import { lenientLines } from './lenient-lines.ts'
import type { LinesRequest } from './line-call.ts'
import { linePreferenceErrors, linePreferences } from './line-preferences.ts'
import { readLineErrors, readLines } from './read-lines.ts'
import { strictLineErrors, strictLines } from './strict-lines.ts'

const ownErrors = ['not-acceptable', 'unknown-parameter'] as const

/** The errors of a body of lines, besides those of creating and changing an item. */
export const lineErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...linePreferenceErrors,
  ...readLineErrors,
  ...strictLineErrors,
  ...hookResponseErrors,
]

const { createApiError, refuse } = refusalsOf(ownErrors)

/** Of what became of the lines. */
const resultsMediaType = 'application/jsonl'

/** A body with items on lines. */
interface LinesBody {
  readonly shape: ItemRequest
  readonly lines: ItemLines
}

/** The form of a body with items on lines; undefined if it is one document. */
export function linesOf(
  { rule: { request: shape } }: Pick<ModelEndpoint, 'rule'>,
  { headers }: ApiRequest,
): LinesBody | undefined {
  if (shape.kind !== 'item' || !shape.lines) return undefined
  const type = headers['content-type']
  if (type === undefined || type === shape.mediaTypes[0]) return undefined
  const mediaType = parseMediaType(type)?.type
  const lines = shape.lines.find((candidate) => candidate.mediaType === mediaType)
  return lines && { shape, lines }
}

/**
 * Handles a body with items on lines. Each passes the stages of a request of its own: its hooks,
 * decoding, validation and rules.
 */
export async function handleLines(
  services: RouterServices,
  endpoint: ModelEndpoint,
  { shape, lines }: LinesBody,
  context: Context,
): Promise<ApiResponse> {
  const { rule, hooks } = endpoint
  const { request } = context
  const { deferral } = endpoint
  const isDeferred = deferral !== undefined && prefersDeferral(request) && deferral.serves(context)
  const progress = request instanceof DeferredRequest ? request.lines : undefined
  // A job reads the results of its lines, whatever its client accepts.
  const isRead = !isDeferred && progress === undefined
  if (isRead && !accepts(request.headers.accept, resultsMediaType)) throw notAcceptable() // 406
  refuseUnsupportedBody(request, shape, rule.method) //                             415
  const hookResponse = await runRequestHooks(hooks.request, context) //              401 403 …
  if (hookResponse) return withHookHeaders(hookResponse, context)
  endpoint.runnerOf?.(context)?.refuseLines() //                                           400
  const body = requireBody(shape, request) //                                       400
  refuseParameters(request) //                                                             400
  const preferences = linePreferences(request.headers) //                                  400
  if (isDeferred) {
    const { applied } = preferences
    const check = preferences.isStrict ? withCheckedExtent : withCheckedStart
    const chunks = check(body, lines, rule.view, services.limits)
    const work = { context, kind: 'lines', body: chunks, preferences: applied } as const
    return withHookHeaders(await deferral.defer(work), context) //              400 413 429
  }
  const linesRequest: LinesRequest = {
    services,
    endpoint,
    updateEndpoint: endpoint.updateEndpoint,
    lines,
    context,
    progress,
  }
  const batches = readLines(body, lines, rule.view, services.limits, {
    areKept: preferences.isStrict,
    isDone: (line) => progress?.isDone(line) === true,
  })
  const headers = () =>
    responseHeaders(
      { context, endpoint, changesPosition: undefined, selection: defaultSelection },
      {
        'content-type': resultsMediaType,
        ...(preferences.applied !== undefined && { 'preference-applied': preferences.applied }),
      },
    )
  if (preferences.isStrict) {
    const text = await strictLines(linesRequest, preferences, batches)
    return { status: 200, headers: headers(), body: { kind: 'text', text } }
  }
  const chunks = lenientLines(linesRequest, preferences, batches)
  return startStream({ status: 200, headers: headers(), body: { kind: 'stream', chunks } }, context)
}

function notAcceptable(): Error {
  const available = [resultsMediaType]
  return createApiError(
    'not-acceptable',
    `Available media types for bodies with several items: ${resultsMediaType}.`,
    { header: 'Accept' },
    { meta: { available } },
  )
}

/** Parameters are about one item, or about its response. */
function refuseParameters({ query }: ApiRequest): void {
  const [first] = parseQuery(query)
  if (!first) return
  const parameter = first.key
  throw refuse(
    'unknown-parameter',
    `A body with several items has no query parameters; got '${truncate(parameter)}'.`,
    { parameter },
  )
}
