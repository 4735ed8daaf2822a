import { unwrittenRuleMeta } from '../../../error/unwritten-rule.ts'
import { type DescribedOperation, responseFor } from '../described-operation.ts'
import { isRecord } from '../document-node.ts'
import { type Expectation, violation } from './expectation.ts'

/** No request may cause a server error. */
export const noServerError: Expectation = (_, { status, body }) =>
  status >= 500 && status !== 501 && status !== 503
    ? violation(
        'server-error',
        `The service failed with ${status}: ${body.toString().slice(0, 300)}`,
      )
    : undefined

/** Patterns of stack traces, SQL statements and driver messages. */
const leaks: readonly RegExp[] = [
  /\bat [\w.<>]+ \((?:file:|node:|\/)[^)]*:\d+:\d+\)/,
  /node_modules\//,
  /\bSQLITE_[A-Z]+\b/,
  /\b(?:near|syntax error at or near) "[^"]*"(?:: syntax error)?/,
  /\bSELECT\b[\s\S]{1,200}\bFROM\b/,
  /\bINSERT INTO\b/,
]

/** Error responses must not reveal implementation details. */
export const noInformationLeak: Expectation = (_, { status, body }) => {
  if (status < 400) return undefined
  const text = body.toString()
  const leak = leaks.find((pattern) => pattern.test(text))
  return (
    leak &&
    violation(
      'leak',
      `The response reveals implementation details: ${text.match(leak)![0].slice(0, 200)}`,
    )
  )
}

/** A request that violates its schema must be refused, a valid one must not. */
export const outcomeAsExpected: Expectation = (
  { expectedOutcome, operation },
  { status, body },
) => {
  if (expectedOutcome === 'refusal' && status < 400)
    return violation(
      'wrong-request-accepted',
      `The body does not match its schema, but the status is ${status}.`,
    )
  if (
    expectedOutcome === 'success' &&
    requestErrorStatuses.has(status) &&
    !(status === 422 && dependsOnItem(operation)) &&
    !violatesUnwrittenRule(operation, status, body) &&
    !dependsOnOtherItems(status, body)
  )
    return violation(
      'right-request-refused',
      `The request matches its description, but was refused with ${status}: ${body.toString().slice(0, 500)}`,
    )
  return undefined
}

/** Can a valid request be 422 because of the stored item? PATCH, actions and batches can. */
function dependsOnItem({ method, path, body }: DescribedOperation): boolean {
  const isBatch = [...(body?.content.keys() ?? [])].some((type) =>
    type.includes('jsonapi.org/ext/atomic'),
  )
  return method === 'PATCH' || isBatch || (method === 'POST' && /\}\/[^/]+$/.test(path))
}

/** Is every error one of a rule that no schema says, where the document expects that? */
function violatesUnwrittenRule(
  operation: DescribedOperation,
  status: number,
  body: Buffer,
): boolean {
  const rules = responseFor(operation, status)?.unwrittenRules ?? []
  const violated = new Set<unknown>(rules.map((rule) => unwrittenRuleMeta[rule].violates))
  const errors = errorsIn(body)
  return (
    errors.length > 0 &&
    errors.every(
      (error) => isRecord(error) && isRecord(error.meta) && violated.has(error.meta.violates),
    )
  )
}

/** Several errors of different statuses have 400 together; each of them says its own. */
function dependsOnOtherItems(status: number, body: Buffer): boolean {
  const statuses = errorsIn(body).map((error) =>
    isRecord(error) ? Number(error.status) : Number.NaN,
  )
  return (
    status === 400 &&
    statuses.length > 1 &&
    statuses.every((each) => each >= 400 && !requestErrorStatuses.has(each))
  )
}

function errorsIn(body: Buffer): readonly unknown[] {
  try {
    const document: unknown = JSON.parse(body.toString())
    return isRecord(document) && Array.isArray(document.errors) ? document.errors : []
  } catch {
    return []
  }
}

/** Statuses for invalid requests; others depend on stored items or on the client. */
const requestErrorStatuses: ReadonlySet<number> = new Set([400, 405, 406, 413, 415, 422])
