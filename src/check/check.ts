import fc from 'fast-check'
import {
  checkOptions,
  milliseconds,
  type OptionChecks,
  wholeNumber,
} from '../model/check-options.ts'
import type { ServiceState } from './arbitrary/service-state.ts'
import { type CompiledSchemas, compileSchemas } from './compiled-schemas.ts'
import { type DescribedOperation, describedOperations } from './described-operation.ts'
import type { Violation } from './expectation/expectation.ts'
import { validPath } from './plan/path-and-query.ts'
import { plannedBodies } from './plan/planned-body.ts'
import { type RequestStrategy, requestsOf } from './plan/requests.ts'
import { collectionsIn, lifecycles, runLifecycle } from './probe/item-lifecycle.ts'
import { races, runRace } from './probe/races.ts'
import { findTransportViolations } from './probe/transport-probes.ts'
import { undocumentedMethods } from './probe/undocumented-methods.ts'
import { createRawConnection } from './raw-exchange.ts'
import { readServiceState } from './read-service-state.ts'
import { createServiceClient, type SentRequest, type ServiceClient } from './service-client.ts'
import { createVerifiedSend, type VerifiedSend } from './verified-send.ts'
import { ViolationError } from './violation-error.ts'

export interface CheckOptions {
  /** Requests of each manner, for each operation; 100 unless given. */
  readonly runs?: number
  /** The same seed makes the same requests, as long as the service holds the same items. */
  readonly seed?: number
  /** Operation ids; all unless given. */
  readonly only?: readonly string[]
  /** Milliseconds that one answer may take; 10 000 unless given. */
  readonly timeoutMs?: number
  /** Sent with every request, for example to authenticate. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A fault, and the smallest request that was found to show it. */
export interface Finding extends Violation {
  /** An operation id, or a path. */
  readonly subject: string
  readonly request: SentRequest
}

export interface CheckReport {
  readonly seed: number
  readonly operationCount: number
  readonly requestCount: number
  /**
   * How many of them were answered with a success (2xx): a service that lets nobody in keeps to any
   * document.
   */
  readonly successCount: number
  readonly findings: readonly Finding[]
}

/**
 * Holds a running service to its OpenAPI document: sends requests that fit it, that break it by a
 * step, and that are hostile; leads items through their lives, lets requests race for them, and
 * disturbs what is on its way; and tells every answer that the document does not describe. It
 * creates, changes and deletes items: never let it loose on data that you need.
 *
 * @throws Error when the document cannot be read, or holds a schema that cannot be compiled.
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
    timeoutMs = 10_000,
    headers = {},
  } = options
  const all = describedOperations(document)
  const operations = all.filter((one) => !only || only.includes(one.id))
  const schemas = compileSchemas(document, all)
  const service = countRequests(createServiceClient(base, timeoutMs, headers))
  const known = await readServiceState(document, all, service, {})
  const hold = createVerifiedSend(service, schemas)
  const findings: Finding[] = []
  for (const operation of operations)
    for (const manner of strategies)
      findings.push(
        ...(await checkOperation(manner, known, schemas, hold, operation, { runs, seed })),
      )
  for (const collection of collectionsIn(operations)) {
    const life = fc.asyncProperty(lifecycles(known, schemas, collection), (one) =>
      runLifecycle(collection, hold, one),
    )
    findings.push(...(await runProperty(collection.create.id, life, { runs, seed })))
    const race = fc.asyncProperty(races(known, schemas, collection), (one) =>
      runRace(collection, hold, one),
    )
    findings.push(
      ...(await runProperty(collection.create.id, race, { runs: Math.ceil(runs / 5), seed })),
    )
  }
  const [collection] = collectionsIn(operations)
  const creating = collection && {
    operation: collection.create,
    bodies: fc.sample(validBodies(known, schemas, collection.create), { numRuns: 5, seed }),
  }
  const reading = operations.find(({ method, path }) => method === 'GET' && !path.includes('{'))
  for (const { violation, ...rest } of await findTransportViolations(
    reading,
    creating,
    createRawConnection(base, timeoutMs, headers),
  ))
    findings.push({ ...violation, ...rest })
  for (const [path, operation] of new Map(operations.map((one) => [one.path, one]))) {
    const target = fc.sample(validPath(known, operation), { numRuns: 1, seed })[0]!
    for (const one of await undocumentedMethods(path, target, all, service))
      findings.push({ ...one.violation, subject: path, request: one.request })
  }
  return { seed, operationCount: operations.length, ...service.counts(), findings }
}

const strategies: readonly RequestStrategy[] = ['valid', 'broken', 'hostile']

interface PropertyOptions {
  readonly runs: number
  readonly seed: number
}

function checkOperation(
  manner: RequestStrategy,
  known: ServiceState,
  schemas: CompiledSchemas,
  hold: VerifiedSend,
  operation: DescribedOperation,
  extent: PropertyOptions,
) {
  const requests = requestsOf(manner, known, schemas, operation)
  return runProperty(
    operation.id,
    fc.asyncProperty(requests, async (request) => void (await hold(request))),
    extent,
  )
}

/** Runs a property; what it throws is made as small as it can be. */
async function runProperty<T>(
  about: string,
  property: fc.IAsyncPropertyWithHooks<[T]>,
  { runs, seed }: PropertyOptions,
): Promise<readonly Finding[]> {
  const details = await fc.check(property, {
    numRuns: runs,
    seed,
    interruptAfterTimeLimit: 120_000,
  })
  const { errorInstance } = details
  if (!details.failed || errorInstance === null || errorInstance === undefined) return []
  if (errorInstance instanceof ViolationError)
    return [{ ...errorInstance.violation, subject: about, request: errorInstance.request }]
  throw errorInstance
}

function validBodies(known: ServiceState, schemas: CompiledSchemas, operation: DescribedOperation) {
  return plannedBodies(known, schemas, operation, (values) => values).filter(
    ({ isValid }) => isValid === true,
  )
}

function countRequests(
  service: ServiceClient,
): ServiceClient & { counts(): Pick<CheckReport, 'requestCount' | 'successCount'> } {
  let requests = 0
  let succeeded = 0
  return {
    counts: () => ({ requestCount: requests, successCount: succeeded }),
    send: async (sending) => {
      requests++
      const answer = await service.send(sending)
      // Everybody may ask what may be asked.
      if (sending.method !== 'OPTIONS' && answer.status >= 200 && answer.status < 300) succeeded++
      return answer
    },
  }
}

/** Faults by kind, for machines. */
export function summarize({ findings }: CheckReport): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

const checkOptionTable: OptionChecks<CheckOptions> = {
  runs: wholeNumber(1),
  seed: wholeNumber(Number.MIN_SAFE_INTEGER),
  only: true,
  timeoutMs: milliseconds,
  headers: true,
}
