import { encodeChangesErrors } from '../document/encode-changes.ts'
import { encodeResourceErrors } from '../document/encode-resource.ts'
import type { ErrorCode } from '../error/catalog.ts'
import { withoutErrors } from '../error/without-errors.ts'
import { updateItemErrors } from '../operation/write/update-item.ts'
import { writeHookErrors } from '../operation/write-hooks/hook-observer.ts'
import { runServiceCode } from '../operation/write-hooks/write-steps.ts'
import { csvReaderErrors } from '../policy/csv-reader.ts'
import type { ItemLines } from '../rule/item-lines.ts'
import { operations } from '../rule/operations.ts'
import { refusesRelationChange } from '../rule/refused-relation-change.ts'
import type { ErrorResponse } from '../rule/response-shape.ts'
import type {
  Method,
  ModelRule,
  PolicyBatchRule,
  PolicyFeedRule,
  PolicyRule,
} from '../rule/rule.ts'
import { errorResponse, type HeadersByCode } from './error-response.ts'
import { batchErrors } from './handle-batch.ts'
import { implementations } from './implementations.ts'
import { lineErrors } from './lines/handle-lines.ts'
import { isErrorPossible } from './possible-errors.ts'
import type { RouterServices } from './router-services.ts'
import { writeRefusals } from './write-refusals.ts'

/** Errors of stages that every request passes, and of the store. */
const commonErrors: readonly ErrorCode[] = [
  'malformed-request',
  'malformed-path',
  'malformed-query',
  'limit-exceeded',
  'unknown-parameter',
  'internal-error',
  'overloaded',
  'query-timeout',
  'store-unavailable',
]

/** Errors when a body is received. */
const bodyErrors: readonly ErrorCode[] = [
  'empty-body',
  'request-timeout',
  'body-too-large',
  'unsupported-media-type',
  'unsupported-encoding',
]

/** Errors when a document is read. */
const documentErrors: readonly ErrorCode[] = [...bodyErrors, 'malformed-json', 'invalid-document']

/** The item is looked up first. */
const alwaysRefusedErrors: readonly ErrorCode[] = ['not-found', 'forbidden']

/**
 * The errors that a rule can respond with: those of the stages that it passes, and those that its
 * operation declares, as far as they are possible with its model.
 */
export function errorResponses(
  rule: PolicyRule,
  services: Pick<RouterServices, 'views' | 'store' | 'writeHooks' | 'guards'>,
): readonly ErrorResponse[] {
  if (refusesRelationChange(rule))
    return [...commonErrors, ...negotiationErrors(rule), ...alwaysRefusedErrors].map((code) =>
      errorResponse(code),
    )
  const refusals = writeRefusals(rule, services)
  const codes = new Set([
    ...commonErrors,
    ...parameterErrors(rule),
    ...negotiationErrors(rule),
    ...requestErrors(rule),
    ...implementations[rule.operation].errors,
    ...encodingErrors(rule),
    ...databaseErrors(rule, services),
    ...commitErrors(rule, services),
    ...hookErrors(rule, services),
    ...refusals,
  ])
  return [
    ...[...codes]
      .filter((code) => refusals.includes(code) || isErrorPossible(code, rule, services))
      .map((code) => errorResponse(code, acceptedTypes[rule.method] ?? {}))
      .map((response) => withUnwrittenRules(response, services, refusals)),
    ...(rule.target.kind === 'action' ? rule.target.action.responses : []).map((response) =>
      Object.freeze({ ...response, code: undefined, headers: {} }),
    ),
  ]
}

/**
 * A batch can respond with all errors of its operations, among them what hooks around writes
 * refuse, and with some of its own. An error response of a hook ends the batch with the same
 * status.
 */
export function batchErrorResponses({
  request: { rules },
}: PolicyBatchRule): readonly ErrorResponse[] {
  const codes = new Set([
    ...commonErrors,
    ...documentErrors,
    'not-acceptable' as const,
    ...batchErrors.filter((code) => !writeHookErrors.includes(code)),
    ...rules.flatMap(codesOf),
  ])
  const declaredStatuses = rules.flatMap(({ declarations }) =>
    declarations.flatMap(({ responses = {} }) => Object.keys(responses)),
  )
  const errorStatuses = [...new Set(declaredStatuses.map(Number))].filter((status) => status >= 400)
  const { description, headers } = errorResponse('operation-refused')
  return [
    ...[...codes].map((code) => errorResponse(code)),
    ...errorStatuses.map((status) =>
      Object.freeze({ code: 'operation-refused' as const, status, description, headers }),
    ),
  ]
}

/** A feed can respond with all errors of its lists. */
export function feedErrorResponses({
  parameters,
  rules,
}: PolicyFeedRule): readonly ErrorResponse[] {
  const codes = new Set([
    ...commonErrors,
    'not-acceptable' as const,
    ...parameterErrors({ parameters }),
    ...rules.flatMap(codesOf),
  ])
  return [...codes].map((code) => errorResponse(code))
}

/**
 * Code of the service runs in the transaction. Immutable members are none, and some of them may be
 * hidden from readers of the document.
 */
function hookErrors(
  { operation, target }: PolicyRule,
  { writeHooks }: Pick<RouterServices, 'writeHooks'>,
): readonly ErrorCode[] {
  const runsHooks =
    operations[operation].changesItems &&
    writeHooks !== undefined &&
    runServiceCode(writeHooks.steps)
  return runsHooks || target.kind === 'action' ? ['hook-timeout'] : []
}

function codesOf({ errorResponses }: ModelRule): readonly ErrorCode[] {
  return errorResponses.flatMap(({ code }) => code ?? [])
}

function parameterErrors({ parameters }: Pick<PolicyRule, 'parameters'>): readonly ErrorCode[] {
  return parameters.length === 0
    ? []
    : ['repeated-parameter', ...parameters.flatMap((parameter) => parameter.errors)]
}

function negotiationErrors({
  response: { content, parameters },
}: PolicyRule): readonly ErrorCode[] {
  return content === 'resource' || (content === 'empty' && parameters.kind === 'charset')
    ? []
    : ['not-acceptable']
}

function requestErrors({ request }: PolicyRule): readonly ErrorCode[] {
  switch (request.kind) {
    case 'none':
      return []
    case 'bytes':
      return bodyErrors
    case 'query':
      return bodyErrors.filter((code) => code !== 'empty-body')
    case 'item':
      return [
        ...documentErrors,
        ...request.errors,
        ...(request.lines ? errorsOfLines(request.lines) : []),
      ]
    default:
      return [...documentErrors, ...request.errors]
  }
}

/** A line may change an item, without `If-Match`. */
function errorsOfLines(lines: readonly ItemLines[]): readonly ErrorCode[] {
  const hasCsv = lines.some(({ kind }) => kind === 'csv')
  return [
    ...lineErrors,
    ...(hasCsv ? csvReaderErrors : []),
    ...withoutErrors(updateItemErrors, ['precondition-failed']),
  ].filter((code) => hasCsv || code !== 'malformed-csv')
}

function encodingErrors({ response: { content } }: PolicyRule): readonly ErrorCode[] {
  if (content === 'changes') return encodeChangesErrors
  return content === 'resource' ? encodeResourceErrors : []
}

/** Whatever is written may violate a rule that only the database knows. */
function databaseErrors(
  { operation }: PolicyRule,
  { store }: Pick<RouterServices, 'store'>,
): readonly ErrorCode[] {
  return store.facts?.hasUnknownRules && operations[operation].changesItems
    ? ['invalid-member']
    : []
}

/** Of whatever may commit: the code of an action too. */
function commitErrors(
  { operation }: PolicyRule,
  { store }: Pick<RouterServices, 'store'>,
): readonly ErrorCode[] {
  return store.facts?.hasUnknownOutcomes && operations[operation].changesItems
    ? ['outcome-unknown']
    : []
}

function withUnwrittenRules(
  response: ErrorResponse,
  { store }: Pick<RouterServices, 'store'>,
  refusals: readonly ErrorCode[],
): ErrorResponse {
  if (response.code !== 'invalid-member') return response
  const ofDatabase = store.facts?.hasUnknownRules === true
  const ofItem = refusals.includes('invalid-member')
  if (!ofDatabase && !ofItem) return response
  return Object.freeze({
    ...response,
    description: ofDatabase
      ? `${response.description}, or a violated rule of the database`
      : response.description,
    unwrittenRules: [
      ...(ofDatabase ? ['database' as const] : []),
      ...(ofItem ? ['item' as const] : []),
    ],
  })
}

/** The headers that name the media types of bodies, by method. */
const acceptedTypes: { readonly [method in Method]?: HeadersByCode } = {
  PATCH: { 'unsupported-media-type': { 'accept-patch': 'sometimes' } },
  QUERY: { 'unsupported-media-type': { 'accept-query': 'sometimes' } },
}
