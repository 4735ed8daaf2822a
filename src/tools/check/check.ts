import fc from 'fast-check'
import {
  checkOptions,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
} from '../../model/check-options.ts'
import type { ServiceState } from './arbitrary/service-state.ts'
import { SlowPatternError } from './bounded-pattern.ts'
import { type CompiledSchemas, compileSchemas } from './compiled-schemas.ts'
import { type DescribedOperation, describedOperations } from './described-operation.ts'
import { violation } from './expectation/expectation.ts'
import type { Finding } from './finding.ts'
import { validPath } from './plan/path-and-query.ts'
import { plannedBodies } from './plan/planned-body.ts'
import { type RequestStrategy, requestsOf } from './plan/requests.ts'
import { compareLists } from './probe/compared-lists.ts'
import { followedCollectionsIn, followLifecycle } from './probe/followed-changes.ts'
import { collectionsIn, lifecycles, runLifecycle } from './probe/item-lifecycle.ts'
import { compareQuery, takesQuery } from './probe/query-method.ts'
import { races, runRace } from './probe/races.ts'
import { findSlowPatterns } from './probe/slow-patterns.ts'
import { findTransportViolations } from './probe/transport-probes.ts'
import { undocumentedMethods } from './probe/undocumented-methods.ts'
import { RateLimitedError, RateLimits, withRateLimits } from './rate-limits.ts'
import { createRawConnection } from './raw-exchange.ts'
import { readServiceState } from './read-service-state.ts'
import { withRequestKeys } from './request-keys.ts'
import {
  createServiceClient,
  defaultMaxResponseBytes,
  defaultTimeoutMs,
  type ServiceClient,
} from './service-client.ts'
import { refuseDeepDocument, UnusableSchemaError } from './unusable-schema.ts'
import { findingOf, readableOperations, writableOperations } from './usable-operations.ts'
import { createVerifiedSend, type VerifiedSend } from './verified-send.ts'
import { ViolationError } from './violation-error.ts'

export {
  type AccessCheckOptions,
  type AccessReport,
  type CallerDocument,
  checkAccess,
} from './access/check-access.ts'
export type { CheckedCaller } from './access/checked-caller.ts'
export type { Violation, ViolationKind } from './expectation/expectation.ts'
export type { Finding } from './finding.ts'
export type { SentRequest } from './service-client.ts'

export interface CheckOptions {
  /** Requests per strategy (valid, broken, hostile) and operation, at least 1. Default: 100. */
  readonly runs?: number
  /** The same seed makes the same requests if the service has the same items. Default: the time. */
  readonly seed?: number
  /** Operation ids to check. Default: all. */
  readonly only?: readonly string[]
  /**
   * The time for one response in milliseconds, from the request to the last byte, at least 1.
   * Default: 10 000.
   */
  readonly timeoutMs?: number
  /** The bytes that the body of one response may have, at least 1. Default: 64 MiB. */
  readonly maxResponseBytes?: number
  /** Headers of every request, for example for authentication. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface CheckReport {
  readonly seed: number
  readonly operationCount: number
  readonly requestCount: number
  /** The number of 2xx responses; a service that refuses everything would violate nothing. */
  readonly successCount: number
  /** The number of requests that stayed refused with 429, and so were not checked. */
  readonly limitedCount: number
  /** How long the check waited for rate limits, in milliseconds. */
  readonly waitedMs: number
  readonly findings: readonly Finding[]
}

/**
 * Tests a running service against its OpenAPI document. It sends valid, broken and hostile
 * requests, sends queries by GET and by QUERY, compares groups, facets and highlights with the
 * items of their lists, runs items through sequences of requests and races, follows their changes,
 * sends malformed HTTP and long texts that nearly match patterns, and reports every response that
 * the document does not describe. It creates, changes and deletes items, so never run it on data
 * that you need. Where a rate limit refuses a request (429), it waits as `Retry-After` says (RFC
 * 9110 §10.2.3), at most 60 s altogether, and then counts what is refused.
 *
 * ```ts
 * const base = new URL('http://127.0.0.1:3000')
 * const response = await fetch(new URL('/api/openapi.json', base))
 * const report = await check((await response.json()) as object, base, { runs: 20, seed: 1 })
 * if (report.findings.length > 0) throw new Error(JSON.stringify(summarize(report)))
 * ```
 *
 * @throws Error if the document is invalid, or a schema in it cannot be compiled
 * @throws RegistrationError for an unknown or invalid option
 */
export async function check(
  document: object,
  base: URL,
  options: CheckOptions = {},
): Promise<CheckReport> {
  checkOptions('check()', options, checkOptionTable)
  const {
    runs = 100,
    seed = Date.now() % 2 ** 31,
    only,
    timeoutMs = defaultTimeoutMs,
    maxResponseBytes = defaultMaxResponseBytes,
    headers = {},
  } = options
  refuseDeepDocument(document)
  const described = describedOperations(document)
  const isChecked = ({ id }: DescribedOperation) => !only || only.includes(id)
  const schemas = compileSchemas(document)
  const readable = readableOperations(document, schemas, described)
  const client = createServiceClient(base, { timeoutMs, maxResponseBytes, headers })
  const limits = new RateLimits()
  const countedClient = countRequests(withRequestKeys(client, described), limits)
  const service = withRateLimits(countedClient, limits)
  const state = await readServiceState(document, described, service, {})
  const usable = writableOperations(state, readable.operations, seed)
  const operations = usable.operations.filter(isChecked)
  const send = createVerifiedSend(service, schemas, state)
  const findings: Finding[] = [...readable.findings, ...usable.findings].filter(({ subject }) =>
    described.some((operation) => operation.id === subject && isChecked(operation)),
  )
  for (const operation of operations)
    for (const strategy of strategies)
      findings.push(
        ...(await checkOperation(strategy, state, schemas, send, operation, { runs, seed })),
      )
  for (const operation of operations.filter(takesQuery)) {
    const requests = requestsOf('valid', state, schemas, operation)
    const property = fc.asyncProperty(
      requests,
      unlessLimited((request) => compareQuery(request, send)),
    )
    findings.push(...(await runProperty(operation, property, { runs: Math.ceil(runs / 5), seed })))
  }
  findings.push(...(await compareLists(document, operations, send)))
  for (const collection of collectionsIn(operations)) {
    const lifecycleProperty = fc.asyncProperty(
      lifecycles(state, schemas, collection),
      unlessLimited((lifecycle) => runLifecycle(collection, send, lifecycle)),
    )
    findings.push(...(await runProperty(collection.create, lifecycleProperty, { runs, seed })))
    const raceProperty = fc.asyncProperty(
      races(state, schemas, collection),
      unlessLimited((race) => runRace(collection, send, race)),
    )
    findings.push(
      ...(await runProperty(collection.create, raceProperty, {
        runs: Math.ceil(runs / 5),
        seed,
      })),
    )
  }
  const collections = collectionsIn(operations)
  for (const followed of followedCollectionsIn(operations, collections)) {
    const property = fc.asyncProperty(
      lifecycles(state, schemas, followed.collection),
      unlessLimited((lifecycle) => followLifecycle(followed, send, lifecycle)),
    )
    const [{ operation }] = followed.feeds as readonly [(typeof followed.feeds)[number]]
    findings.push(
      ...(await runProperty(operation, property, {
        runs: Math.ceil(runs / 5),
        seed,
        // Each smaller lifecycle would wait for seconds for changes that do not come.
        isShrunk: false,
      })),
    )
  }
  const [collection] = collections
  const createOperation = collection && {
    operation: collection.create,
    bodies: fc.sample(validBodies(state, schemas, collection.create), { numRuns: 5, seed }),
  }
  const readOperation = operations.find(
    ({ method, path }) => method === 'GET' && !path.includes('{'),
  )
  for (const { violation, ...rest } of await findTransportViolations(
    readOperation,
    createOperation,
    createRawConnection(base, { timeoutMs, headers, limits }),
  ))
    findings.push({ ...violation, ...rest })
  for (const [path, operation] of new Map(operations.map((item) => [item.path, item]))) {
    const target = fc.sample(validPath(state, operation), { numRuns: 1, seed })[0]!
    for (const { violation, request } of await undocumentedMethods(
      path,
      target,
      described,
      service,
    ))
      findings.push({ ...violation, subject: path, request })
  }
  for (const { violation, ...rest } of await findSlowPatterns(
    { state, service: countedClient, limits, seed },
    operations,
  ))
    findings.push({ ...violation, ...rest })
  return {
    seed,
    operationCount: described.filter(isChecked).length,
    ...countedClient.counts(),
    findings,
  }
}

const strategies: readonly RequestStrategy[] = ['valid', 'broken', 'hostile']

interface PropertyOptions {
  readonly runs: number
  readonly seed: number
  /** Is a smaller request looked for that violates too? */
  readonly isShrunk?: boolean
}

function checkOperation(
  strategy: RequestStrategy,
  state: ServiceState,
  schemas: CompiledSchemas,
  send: VerifiedSend,
  operation: DescribedOperation,
  options: PropertyOptions,
) {
  const requests = requestsOf(strategy, state, schemas, operation)
  return runProperty(operation, fc.asyncProperty(requests, unlessLimited(send)), options)
}

/** Runs a property; by default fast-check shrinks the request of a violation. */
async function runProperty<T>(
  operation: DescribedOperation,
  property: fc.IAsyncPropertyWithHooks<[T]>,
  { runs, seed, isShrunk = true }: PropertyOptions,
): Promise<readonly Finding[]> {
  const failure = await fc
    .check(property, {
      numRuns: runs,
      seed,
      interruptAfterTimeLimit: 120_000,
      endOnFailure: !isShrunk,
    })
    .then(({ failed, errorInstance }) => (failed ? errorInstance : undefined))
    // Values are made outside of the property too.
    .catch((error: unknown) => error)
  if (failure === null || failure === undefined) return []
  if (failure instanceof ViolationError)
    return [{ ...failure.violation, subject: operation.id, request: failure.request }]
  if (failure instanceof SlowPatternError)
    return [findingOf(operation, violation('slow-pattern', failure.message))]
  if (failure instanceof UnusableSchemaError)
    return [findingOf(operation, violation('unusable-schema', failure.message))]
  throw failure
}

/** Ignores a request that a rate limit refuses: it shows neither a violation nor its absence. */
function unlessLimited<T>(run: (value: T) => Promise<unknown>): (value: T) => Promise<void> {
  return async (value) => {
    await run(value).catch((error: unknown) => {
      if (!(error instanceof RateLimitedError)) throw error
    })
  }
}

function validBodies(state: ServiceState, schemas: CompiledSchemas, operation: DescribedOperation) {
  return plannedBodies(state, schemas, operation, (values) => values).filter(
    ({ isValid }) => isValid === true,
  )
}

function countRequests(
  service: ServiceClient,
  limits: RateLimits,
): ServiceClient & { counts(): Omit<CheckReport, 'seed' | 'operationCount' | 'findings'> } {
  let requestCount = 0
  let successCount = 0
  return {
    counts: () => ({ requestCount, successCount, ...limits.counts() }),
    send: async (request) => {
      requestCount++
      const response = await service.send(request)
      // OPTIONS needs no authentication, so its success says nothing.
      if (request.method !== 'OPTIONS' && response.status >= 200 && response.status < 300)
        successCount++
      return response
    },
  }
}

/**
 * Counts the findings by kind.
 *
 * ```ts
 * const report = await check(router.toOpenApi(), new URL('http://127.0.0.1:3000/api'))
 * summarize(report) // { 'server-error': 1 }
 * ```
 */
export function summarize({ findings }: CheckReport): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

const checkOptionTable: OptionChecks<CheckOptions> = {
  runs: wholeNumber(1),
  seed: wholeNumber(Number.MIN_SAFE_INTEGER),
  only: true,
  timeoutMs: positiveMilliseconds,
  maxResponseBytes: wholeNumber(1),
  headers: true,
}
