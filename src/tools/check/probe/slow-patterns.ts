import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import type { ServiceState } from '../arbitrary/service-state.ts'
import { validValue } from '../arbitrary/valid-value.ts'
import type { DescribedOperation } from '../described-operation.ts'
import { type DocumentNode, followReferences, isRecord } from '../document-node.ts'
import { type Violation, violation } from '../expectation/expectation.ts'
import { encodeText, validPath } from '../plan/path-and-query.ts'
import { isJson } from '../plan/planned-body.ts'
import type { RateLimits } from '../rate-limits.ts'
import { ResponseTimeoutError } from '../response-errors.ts'
import type { SentRequest, ServiceClient, ServiceResponse } from '../service-client.ts'
import { nearMatches } from './near-matches.ts'

/** A pattern that holds the service. */
export interface SlowPattern {
  readonly violation: Violation
  readonly request: SentRequest
  readonly subject: string
}

interface PatternContext {
  readonly state: ServiceState
  /** Does not wait for rate limits, because a wait looks slow. */
  readonly service: ServiceClient
  readonly limits: RateLimits
  readonly seed: number
}

/** A request with a text in the place of a text that matched the pattern. */
type RequestWith = (text: string) => SentRequest

/** Short ones first: some expressions take twice as long for each further character. */
const lengths = [24, 28, 32, 1_000, 30_000]
/** A query must fit into the head of a request. */
const maxQueryLength = 4_000
const slowMs = 2_000
const recoveryMs = 60_000

/**
 * Sends long texts that nearly match the patterns of the operations, each pattern at one place. A
 * text that takes seconds, where another one of this length does not, shows that the time of the
 * pattern grows faster than the text.
 */
export async function findSlowPatterns(
  context: PatternContext,
  operations: readonly DescribedOperation[],
): Promise<readonly SlowPattern[]> {
  const tried = new Set<string>()
  const findings: SlowPattern[] = []
  for (const operation of operations)
    for (const [pattern, requestWith] of placesIn(context, operation)) {
      if (tried.has(pattern)) continue
      tried.add(pattern)
      const request = await slowRequest(context, pattern, requestWith)
      if (!request) continue
      const message = `A text that nearly matches the pattern '${pattern}' holds the service for more than ${slowMs / 1_000} s; expected a pattern whose time grows with the length of the text only.`
      findings.push({
        violation: violation('slow-pattern', message),
        request,
        subject: operation.id,
      })
    }
  return findings
}

async function slowRequest(
  context: PatternContext,
  pattern: string,
  requestWith: RequestWith,
): Promise<SentRequest | undefined> {
  const harmless = requestWith('!'.repeat(lengths.at(-1)!))
  const texts = nearMatches(pattern, context.seed)
  // A service that is slow with any long text has no slow pattern.
  if (texts.length === 0 || (await isSlow(context, harmless))) return undefined
  for (const length of lengths)
    for (const textOf of texts) {
      const request = requestWith(textOf(length))
      if (!(await isSlow(context, request))) continue
      // Once may be chance, on a busy machine.
      const isRecovered = await recovers(context, harmless)
      if (!isRecovered || (await isSlow(context, request))) {
        await recovers(context, harmless)
        return request
      }
    }
  return undefined
}

async function isSlow(context: PatternContext, request: SentRequest): Promise<boolean> {
  const start = performance.now()
  const response = await context.service.send(request).catch((reason: unknown) => reason)
  if (response instanceof ResponseTimeoutError || performance.now() - start >= slowMs) return true
  if (response instanceof Error) return false
  const { status, headers } = response as ServiceResponse
  const isRepeated = status === 429 && (await context.limits.wait(headers['retry-after']))
  return isRepeated && isSlow(context, request)
}

/** Waits until the service responds again, so that its next requests are not late too. */
async function recovers(context: PatternContext, harmless: SentRequest): Promise<boolean> {
  const end = performance.now() + recoveryMs
  while (performance.now() < end) {
    if (!(await isSlow(context, harmless))) return true
    await setTimeout(100)
  }
  return false
}

/** The patterns of the texts that an operation takes, each with a place. */
function placesIn(
  context: PatternContext,
  operation: DescribedOperation,
): ReadonlyMap<string, RequestWith> {
  const path = fc.sample(validPath(context.state, operation), {
    numRuns: 1,
    seed: context.seed,
  })[0]!
  const places = new Map<string, RequestWith>()
  const { method } = operation
  for (const { name, location, schema } of operation.parameters)
    if (location === 'query')
      for (const pattern of patternsIn(context.state, schema))
        places.set(pattern, (text) => ({
          method,
          requestTarget: `${path}?${encodeText(name)}=${encodeText(text.slice(-maxQueryLength))}`,
          headers: {},
        }))
  for (const [type, schema] of operation.body?.content ?? [])
    if (schema && isJson(type))
      for (const [pattern, bodyWith] of placesInBody(context, schema))
        places.set(pattern, (text) => ({
          method,
          requestTarget: path,
          headers: { 'content-type': type },
          body: bodyWith(text),
        }))
  return places
}

/** Optional members are in some of them. */
const sampleCount = 30

function placesInBody(
  { state, seed }: PatternContext,
  schema: DocumentNode,
): ReadonlyMap<string, (text: string) => string> {
  const patterns = patternsIn(state, schema)
  const places = new Map<string, (text: string) => string>()
  if (patterns.size === 0) return places
  const values = fc.sample(validValue(state, schema.value), { numRuns: sampleCount, seed })
  for (const value of values)
    for (const pattern of patterns) {
      if (places.has(pattern)) continue
      const expression = new RegExp(pattern, 'u')
      const isMatch = (text: unknown) =>
        typeof text === 'string' && text !== '' && text.length <= 20 && expression.test(text)
      if (someText(value, isMatch))
        places.set(pattern, (text) =>
          JSON.stringify(value, (_, member) => (isMatch(member) ? text : member)),
        )
    }
  return places
}

function someText(value: unknown, isMatch: (text: unknown) => boolean): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).some((member) => someText(member, isMatch))
  return isMatch(value)
}

/** All patterns of a schema, with those of the schemas that it refers to. */
function patternsIn({ document }: ServiceState, schema: DocumentNode): ReadonlySet<string> {
  const patterns = new Set<string>()
  const seen = new Set<unknown>()
  const visit = (node: DocumentNode): void => {
    const { value, pointer } = followReferences(document, node)
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (isRecord(value) && typeof value.pattern === 'string' && isExpression(value.pattern))
      patterns.add(value.pattern)
    for (const member of Object.values(value)) visit({ value: member, pointer })
  }
  visit(schema)
  return patterns
}

function isExpression(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
