import fc from 'fast-check'
import {
  checkOptions,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
} from '../../../model/check-options.ts'
import { type CompiledSchemas, compileSchemas } from '../compiled-schemas.ts'
import { describedOperations } from '../described-operation.ts'
import type { Finding } from '../finding.ts'
import { plannedBodies } from '../plan/planned-body.ts'
import { plannedRequest } from '../plan/planned-request.ts'
import { collectionsIn } from '../probe/item-lifecycle.ts'
import { RateLimitedError, RateLimits, withRateLimits } from '../rate-limits.ts'
import { readServiceState } from '../read-service-state.ts'
import { withRequestKeys } from '../request-keys.ts'
import {
  createServiceClient,
  defaultMaxResponseBytes,
  defaultTimeoutMs,
} from '../service-client.ts'
import { refuseDeepDocument } from '../unusable-schema.ts'
import { readableOperations, writableOperations } from '../usable-operations.ts'
import { type CallerView, sendAs } from './caller-view.ts'
import {
  type CheckedCaller,
  checkCredentials,
  errorOfCaller,
  withoutCredentials,
} from './checked-caller.ts'
import { readCollections } from './compared-items.ts'
import { findWrongCounts } from './counts.ts'
import { findKnownGroups } from './hidden-groups.ts'
import {
  type BodySource,
  filterProbes,
  itemProbes,
  linkProbes,
  probeHiddenItem,
} from './hidden-item-probes.ts'
import { hiddenItems, probedItems } from './hidden-items.ts'
import { findKnownMembers } from './hidden-members.ts'
import { findKnownParameters } from './hidden-parameters.ts'
import { learnIdPositions, textsIn } from './id-positions.ts'
import { readResponses } from './read-responses.ts'
import { findShownIds } from './shown-ids.ts'
import { findShownMembers } from './shown-members.ts'

/** A caller, and the OpenAPI document that the service gives it. */
export interface CallerDocument {
  readonly caller: CheckedCaller
  readonly document: object
}

export interface AccessCheckOptions {
  /** The same seed makes the same bodies. Default: the time. */
  readonly seed?: number
  /**
   * The time for one response in milliseconds, from the request to the last byte, at least 1.
   * Default: 10 000.
   */
  readonly timeoutMs?: number
  /** The bytes that the body of one response may have, at least 1. Default: 64 MiB. */
  readonly maxResponseBytes?: number
}

export interface AccessReport {
  readonly seed: number
  readonly callers: readonly string[]
  readonly requestCount: number
  /** How long the check waited for rate limits, in milliseconds. */
  readonly waitedMs: number
  /** How many items the check has compared. */
  readonly itemCount: number
  /** How many of them are hidden from at least one caller; without any, little was tested. */
  readonly hiddenItemCount: number
  readonly findings: readonly Finding[]
}

/**
 * Compares what callers see of a running service. It learns ids, tags and members as each of them,
 * and looks for these as the others: what a caller does not see must not show in lists, includes,
 * counts, filters and sorts, and requests for a hidden item must be answered as those for a missing
 * one. It creates, changes and deletes items, so never run it on data that you need.
 *
 * ```ts
 * const base = new URL('http://127.0.0.1:3000/api')
 * const callers = [
 *   { name: 'admin', headers: { authorization: `Bearer ${process.env.ADMIN}` } },
 *   { name: 'anonymous', headers: {} },
 * ]
 * const documents = callers.map(async (caller) => {
 *   const response = await fetch(`${base}/openapi.json`, { headers: caller.headers })
 *   return { caller, document: (await response.json()) as object }
 * })
 * const { findings } = await checkAccess(await Promise.all(documents), base)
 * ```
 *
 * @throws Error if a document is invalid, the service does not respond, or a rate limit refuses a
 * request after waits of 60 s altogether
 * @throws RegistrationError for an unknown or invalid option, or an empty credential
 */
export async function checkAccess(
  documents: readonly CallerDocument[],
  base: URL,
  options: AccessCheckOptions = {},
): Promise<AccessReport> {
  checkOptions('checkAccess()', options, accessCheckOptions)
  for (const { caller } of documents) checkCredentials(caller)
  const {
    seed = Date.now() % 2 ** 31,
    timeoutMs = defaultTimeoutMs,
    maxResponseBytes = defaultMaxResponseBytes,
  } = options
  const limits = new RateLimits()
  let requestCount = 0
  const schemasOf = sharedSchemas()
  const views = documents.map(({ caller, document }): CallerView => {
    const { headers } = caller
    const client = withRateLimits(
      createServiceClient(base, { timeoutMs, maxResponseBytes, headers }),
      limits,
    )
    const send: typeof client.send = (request) => {
      requestCount++
      return client
        .send(request)
        .then((response) => {
          if (response.status === 429) throw new RateLimitedError(request)
          return response
        })
        .catch((error: Error) => {
          throw errorOfCaller(caller, error)
        })
    }
    refuseDeepDocument(document)
    const schemas = schemasOf(document)
    const { operations } = readableOperations(document, schemas, describedOperations(document))
    return { caller, document, schemas, operations, service: withRequestKeys({ send }, operations) }
  })
  for (const view of views) await createItems(view, seed)
  const bodies = new Map<CallerView, BodySource>()
  for (const view of views) bodies.set(view, await bodySource(view, seed))
  const collections = await readCollections(views)
  const responses = await readResponses(views, collections)
  const positions = learnIdPositions(
    responses.flatMap(({ path, response }) => textsIn(response.json, path)),
    collections,
  )
  const hidden = hiddenItems(views, collections)
  const findings: Finding[] = [
    ...findShownIds(responses, hidden, positions),
    ...findShownMembers(views, responses),
    ...(await findWrongCounts(views, collections)),
  ]
  for (const collection of collections)
    findings.push(
      ...(await findKnownParameters(views, collection, collections)),
      ...(await findKnownGroups(views, collection)),
      ...(await findKnownMembers(views, collection)),
    )
  const probed = await probedItems(views, hidden)
  for (const item of probed)
    findings.push(...(await probeHiddenItem(item, filterProbes(item, positions))))
  // Writes come last, because a faulty service may carry them out.
  for (const kind of ['read', 'write'] as const)
    for (const item of probed) {
      const source = bodies.get(item.view)!
      const links = kind === 'write' ? linkProbes(item, source) : []
      const probes = [...itemProbes(item, kind, source), ...links]
      findings.push(...(await probeHiddenItem(item, probes)))
    }
  const callers = views.map(({ caller }) => caller)
  return {
    seed,
    callers: callers.map(({ name }) => name),
    requestCount,
    waitedMs: limits.counts().waitedMs,
    itemCount: collections.reduce((sum, { items }) => sum + items.size, 0),
    hiddenItemCount: new Set(hidden.map(({ target }) => target)).size,
    findings: distinct(findings).map((finding) => withoutCredentials(callers, finding)),
  }
}

/** How many items of each collection the check creates as each caller. */
const createdItems = 2

async function createItems(view: CallerView, seed: number): Promise<void> {
  for (const { create } of collectionsIn(view.operations)) {
    // Read each time, because relations may refer to the items that were just created.
    const { state, schemas } = await bodySource(view, seed)
    const { operations } = writableOperations(state, [create], seed)
    if (operations.length === 0) continue
    const bodies = fc.sample(
      plannedBodies(state, schemas, create, (values) => values).filter(
        ({ isValid }) => isValid !== false,
      ),
      { numRuns: createdItems, seed },
    )
    for (const body of bodies) {
      const planned = plannedRequest(create, create.path, body, 'anyDocumentedResponse')
      await sendAs(view, 'POST', create.path, planned)
    }
  }
}

async function bodySource(
  { document, schemas, operations, service }: CallerView,
  seed: number,
): Promise<BodySource> {
  const state = await readServiceState(document, operations, service, {})
  return { state, schemas, seed }
}

/** Compiles equal documents once: most services give every caller the same one. */
function sharedSchemas(): (document: object) => CompiledSchemas {
  const byText = new Map<string, CompiledSchemas>()
  return (document) => {
    const text = JSON.stringify(document)
    const schemas = byText.get(text) ?? compileSchemas(document)
    byText.set(text, schemas)
    return schemas
  }
}

/** The first finding of each kind, operation and caller. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const byKey = new Map<string, Finding>()
  for (const finding of findings) {
    const key = [finding.kind, finding.subject, finding.caller, finding.request.method].join(' ')
    if (!byKey.has(key)) byKey.set(key, finding)
  }
  return [...byKey.values()]
}

const accessCheckOptions: OptionChecks<AccessCheckOptions> = {
  seed: wholeNumber(Number.MIN_SAFE_INTEGER),
  timeoutMs: positiveMilliseconds,
  maxResponseBytes: wholeNumber(1),
}
