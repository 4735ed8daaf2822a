import type { DescribedOperation } from '../described-operation.ts'
import { type Expectation, violation } from './expectation.ts'

/** Whatever was sent, the service is not at fault. */
export const noServerError: Expectation = (_, { status, body }) =>
  status >= 500 && status !== 501 && status !== 503
    ? violation(
        'server-error',
        `The service failed with ${status}: ${body.toString().slice(0, 300)}`,
      )
    : undefined

/** What a stack trace, a statement or a driver's message looks like. */
const leaks: readonly RegExp[] = [
  /\bat [\w.<>]+ \((?:file:|node:|\/)[^)]*:\d+:\d+\)/,
  /node_modules\//,
  /\bSQLITE_[A-Z]+\b/,
  /\b(?:near|syntax error at or near) "[^"]*"(?:: syntax error)?/,
  /\bSELECT\b[\s\S]{1,200}\bFROM\b/,
  /\bINSERT INTO\b/,
]

/** Answers to wrong requests tell nothing of how the service is made. */
export const noInformationLeak: Expectation = (_, { status, body }) => {
  if (status < 400) return undefined
  const text = body.toString()
  const leak = leaks.find((one) => one.test(text))
  return (
    leak &&
    violation(
      'leak',
      `The answer tells how the service is made: ${text.match(leak)![0].slice(0, 200)}`,
    )
  )
}

/** A request that breaks its schema is refused, and one that fits is not refused for its form. */
export const outcomeAsExpected: Expectation = (
  { expectedOutcome, operation },
  { status, body },
) => {
  if (expectedOutcome === 'refusal' && status < 400)
    return violation(
      'wrong-request-accepted',
      `The body breaks its schema, and yet the answer is ${status}.`,
    )
  if (
    expectedOutcome === 'success' &&
    requestErrorStatuses.has(status) &&
    !(status === 422 && dependsOnItem(operation))
  )
    return violation(
      'right-request-refused',
      `The request fits its description, and yet is refused with ${status}: ${body.toString().slice(0, 500)}`,
    )
  return undefined
}

/**
 * What an action, a merge or a batch of those would make of an item depends on the item, too: it
 * can be unfit although the request fits.
 */
function dependsOnItem({ method, path, body }: DescribedOperation): boolean {
  const isBatch = [...(body?.content.keys() ?? [])].some((type) =>
    type.includes('jsonapi.org/ext/atomic'),
  )
  return method === 'PATCH' || isBatch || (method === 'POST' && /\}\/[^/]+$/.test(path))
}

/**
 * Statuses that say that the request was wrong in itself; others depend on what is stored, or on
 * who asks.
 */
const requestErrorStatuses: ReadonlySet<number> = new Set([400, 405, 406, 413, 415, 422])
