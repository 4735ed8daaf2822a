import fc from 'fast-check'
import { checkOptions, type KnownOptions, milliseconds, wholeNumber } from '../model/check-options.ts'
import type { Known } from './arbitrary/known.ts'
import { type DescribedOperation, describedOperations } from './described-operation.ts'
import type { Fault } from './expectation/expectation.ts'
import { FoundFault } from './found-fault.ts'
import { type Hold, holder } from './hold.ts'
import { knownIds } from './known-ids.ts'
import { bodies } from './plan/body.ts'
import { validPath } from './plan/parts.ts'
import { type Manner, requestsOf } from './plan/requests.ts'
import { collectionsIn, leadLife, lives } from './probe/life-of-an-item.ts'
import { races, runRace } from './probe/races.ts'
import { transportFaults } from './probe/transport-faults.ts'
import { undocumentedMethods } from './probe/undocumented-methods.ts'
import { connectionTo } from './raw-exchange.ts'
import { type Schemas, schemasOf } from './schemas.ts'
import { type Sending, type Service, serviceAt } from './send.ts'

export interface CheckOptions {
  /** Requests of each manner, for each operation; 100 unless given. */
  readonly runs?: number
  /** The same seed makes the same requests, as long as the service holds the same items. */
  readonly seed?: number
  /** Operation ids; all unless given. */
  readonly only?: readonly string[]
  /** Milliseconds that one answer may take; 10 000 unless given. */
  readonly timeout?: number
  /** Sent with every request, for example to authenticate. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A fault, and the smallest request that was found to show it. */
export interface Finding extends Fault {
  /** An operation id, or a path. */
  readonly about: string
  readonly sending: Sending
}

export interface Report {
  readonly seed: number
  readonly operations: number
  readonly requests: number
  /** How many of them were answered with a success (2xx): a service that lets nobody in keeps to any document. */
  readonly succeeded: number
  readonly findings: readonly Finding[]
}

/**
 * Holds a running service to its OpenAPI document: sends requests that fit it, that break it by a step, and that are hostile; leads items
 * through their lives, lets requests race for them, and disturbs what is on its way; and tells every answer that the document does not
 * describe. It creates, changes and deletes items: never let it loose on data that you need.
 *
 * @throws Error when the document cannot be read, or holds a schema that cannot be compiled.
 */
export async function check(document: object, base: URL, options: CheckOptions = {}): Promise<Report> {
  checkOptions('check()', options, knownOptions)
  const { runs = 100, seed = Date.now() % 2 ** 31, only, timeout = 10_000, headers = {} } = options
  const all = describedOperations(document)
  const operations = all.filter((one) => !only || only.includes(one.id))
  const schemas = schemasOf(document, all)
  const service = counted(serviceAt(base, timeout, headers))
  const known = await knownIds(document, all, service, {})
  const hold = holder(service, schemas)
  const findings: Finding[] = []
  for (const operation of operations)
    for (const manner of manners)
      findings.push(...(await tried(manner, known, schemas, hold, operation, { runs, seed })))
  for (const collection of collectionsIn(operations)) {
    const life = fc.asyncProperty(lives(known, schemas, collection), (one) => leadLife(collection, hold, one))
    findings.push(...(await found(collection.create.id, life, { runs, seed })))
    const race = fc.asyncProperty(races(known, schemas, collection), (one) => runRace(collection, hold, one))
    findings.push(...(await found(collection.create.id, race, { runs: Math.ceil(runs / 5), seed })))
  }
  const [collection] = collectionsIn(operations)
  const creating = collection && {
    operation: collection.create,
    bodies: fc.sample(fittingBodies(known, schemas, collection.create), { numRuns: 5, seed }),
  }
  const reading = operations.find(({ method, path }) => method === 'GET' && !path.includes('{'))
  for (const { fault, ...rest } of await transportFaults(reading, creating, connectionTo(base, timeout, headers)))
    findings.push({ ...fault, ...rest })
  for (const [path, operation] of new Map(operations.map((one) => [one.path, one]))) {
    const target = fc.sample(validPath(known, operation), { numRuns: 1, seed })[0]!
    for (const one of await undocumentedMethods(path, target, all, service))
      findings.push({ ...one.fault, about: path, sending: one.sending })
  }
  return { seed, operations: operations.length, ...service.counts(), findings }
}

const manners: readonly Manner[] = ['valid', 'broken', 'hostile']

interface Extent {
  readonly runs: number
  readonly seed: number
}

function tried(
  manner: Manner,
  known: Known,
  schemas: Schemas,
  hold: Hold,
  operation: DescribedOperation,
  extent: Extent,
) {
  const requests = requestsOf(manner, known, schemas, operation)
  return found(
    operation.id,
    fc.asyncProperty(requests, async (request) => void (await hold(request))),
    extent,
  )
}

/** Runs a property; what it throws is made as small as it can be. */
async function found<T>(
  about: string,
  property: fc.IAsyncPropertyWithHooks<[T]>,
  { runs, seed }: Extent,
): Promise<readonly Finding[]> {
  const details = await fc.check(property, { numRuns: runs, seed, interruptAfterTimeLimit: 120_000 })
  const { errorInstance } = details
  if (!details.failed || errorInstance === null || errorInstance === undefined) return []
  if (errorInstance instanceof FoundFault) return [{ ...errorInstance.fault, about, sending: errorInstance.sending }]
  throw errorInstance
}

function fittingBodies(known: Known, schemas: Schemas, operation: DescribedOperation) {
  return bodies(known, schemas, operation, (values) => values).filter(({ fits }) => fits === true)
}

function counted(service: Service): Service & { counts(): Pick<Report, 'requests' | 'succeeded'> } {
  let requests = 0
  let succeeded = 0
  return {
    counts: () => ({ requests, succeeded }),
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
export function summary({ findings }: Report): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

const knownOptions: KnownOptions<CheckOptions> = {
  runs: wholeNumber(1),
  seed: wholeNumber(Number.MIN_SAFE_INTEGER),
  only: true,
  timeout: milliseconds,
  headers: true,
}
