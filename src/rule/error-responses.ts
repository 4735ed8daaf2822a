import { catalog, type ErrorCode } from '../error/catalog.ts'
import { canBeRestricted } from '../model/delete-restrictions.ts'
import type { RelationField } from '../model/model-description.ts'
import { isWritable, type ModelView } from '../model/model-view.ts'
import { isAlwaysRefused } from './always-refused.ts'
import { operations } from './operations.ts'
import {
  type BatchRequest,
  type ErrorResponse,
  type HeaderPresence,
  type ModelRule,
  pathView,
  relationTargetOf,
} from './rule.ts'

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

const bodyErrors: readonly ErrorCode[] = [
  'empty-body',
  'malformed-json',
  'invalid-document',
  'request-timeout',
  'body-too-large',
  'unsupported-media-type',
  'unsupported-encoding',
  'validation-timeout',
]

const uploadErrors: readonly ErrorCode[] = [
  'empty-body',
  'request-timeout',
  'malformed-multipart',
  'missing-part',
  'unknown-part',
  'repeated-part',
  'invalid-digest',
  'digest-mismatch',
  'body-too-large',
  'content-mismatch',
  'unsupported-media-type',
  'unsupported-encoding',
]

const newItemErrors: readonly ErrorCode[] = [
  'already-exists',
  'invalid-id',
  'id-not-allowed',
  'forbidden',
]

/** A rule without `errorResponses`. */
export type RuleWithoutErrors = Pick<
  ModelRule,
  'operation' | 'method' | 'view' | 'target' | 'parameters' | 'request' | 'response'
>

/** The errors that an operation can respond with, for `errorResponses` of its rule. */
export function errorResponses(rule: RuleWithoutErrors): readonly ErrorResponse[] {
  if (isAlwaysRefused(rule))
    return [...commonErrors, ...negotiationErrors(rule), ...alwaysRefusedErrors].map((code) =>
      errorResponse(code),
    )
  const codes = new Set([
    ...commonErrors,
    ...parameterErrors(rule),
    ...negotiationErrors(rule),
    ...requestBodyErrors(rule),
    ...operations[rule.operation].errors,
    ...(canCreate(rule) ? newItemErrors : []),
    ...(hasUnreplaceableRelations(rule) ? (['forbidden'] as const) : []),
  ])
  return [
    ...[...codes]
      .filter((code) => isPossible(rule, code))
      .map((code) => errorResponse(code, rule.method === 'PATCH' ? acceptPatch : {})),
    ...(rule.target.kind === 'action' ? rule.target.action.responses : []).map((response) =>
      Object.freeze({ ...response, code: undefined, headers: {} }),
    ),
  ]
}

/**
 * A batch can respond with all errors of its operations, and with some of its own. An error response
 * of a hook ends the batch with the same status.
 */
export function batchErrorResponses({ rules }: BatchRequest): readonly ErrorResponse[] {
  const ruleErrors = rules.flatMap((rule) => rule.errorResponses.flatMap(({ code }) => code ?? []))
  const codes = new Set([
    ...commonErrors,
    ...bodyErrors,
    'not-acceptable',
    ...operations.Batch.errors,
    ...ruleErrors,
  ] as const)
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

/** @param extraHeaders headers in addition to those that the code always has */
export function errorResponse(code: ErrorCode, extraHeaders: HeadersByCode = {}): ErrorResponse {
  const { status, title } = catalog[code]
  return Object.freeze({
    code,
    status,
    description: title,
    headers: { ...headersByCode[code], ...extraHeaders[code] },
  })
}

function parameterErrors({ parameters }: RuleWithoutErrors): readonly ErrorCode[] {
  return parameters.length === 0
    ? []
    : ['repeated-parameter', ...parameters.flatMap((parameter) => parameter.errors)]
}

function negotiationErrors({
  response: { content, parameters },
}: RuleWithoutErrors): readonly ErrorCode[] {
  return content === 'resource' || (content === 'empty' && parameters.kind === 'charset')
    ? []
    : ['not-acceptable']
}

function requestBodyErrors({ request }: RuleWithoutErrors): readonly ErrorCode[] {
  switch (request.kind) {
    case 'none':
      return []
    case 'bytes':
      return uploadErrors
    default:
      return [...bodyErrors, ...request.errors, request.missingRelatedError]
  }
}

/** The item is looked up first. */
const alwaysRefusedErrors: readonly ErrorCode[] = ['not-found', 'forbidden']

function canCreate({ operation, view }: RuleWithoutErrors): boolean {
  return operation === 'ReplaceItem' && view.model.allowsUpsert
}

/** Can the operation try to replace a relation with `replace: false`? */
function hasUnreplaceableRelations({ operation, view }: RuleWithoutErrors): boolean {
  return (
    (operation === 'UpdateItem' || operation === 'ReplaceItem') &&
    view.model.relations.some((relation) => relation.kind !== 'toOne' && !relation.isReplaceable)
  )
}

const relationErrors: readonly ErrorCode[] = [
  'invalid-relation',
  'related-not-found',
  'related-missing',
  'conflict',
]

/** A variant is rendered when it is requested. */
const variantErrors: readonly ErrorCode[] = ['unprocessable', 'image-too-large']

/** The size of an image is checked at upload. */
const imageSizeErrors: readonly ErrorCode[] = ['image-too-large']

/** Some errors can occur only with some models. */
function isPossible(rule: RuleWithoutErrors, code: ErrorCode): boolean {
  const { operation, view, target } = rule
  const relation = relationTargetOf(rule)?.relation
  if (operation === 'GetResource' && variantErrors.includes(code))
    return target.kind === 'resource' && target.variant !== undefined
  if (operation === 'SetResource' && imageSizeErrors.includes(code))
    return target.kind === 'resource' && target.path.field.maxPixels !== undefined
  if (code === 'precondition-required') return pathView(rule).requiresIfMatch
  if (code === 'id-not-allowed') return view.model.ids === 'server'
  if (code === 'already-exists') return view.model.ids !== 'server'
  // An item that the caller can see but not replace is not created either.
  if (code === 'not-found' && canCreate(rule)) return view.hasWriteGuards
  if (code === 'forbidden') return canBeForbidden(rule)
  if (code === 'invalid-member' && relation) return canClearRequiredRelation(relation, operation)
  if (code === 'invalid-resource') return view.model.resourcePaths.length > 0
  if (code === 'still-referenced') return canBeRestricted(view.model)
  if (code === 'value-taken') return view.model.valueFields.some((field) => field.isUnique)
  return (
    relation !== undefined ||
    target.kind === 'action' ||
    !relationErrors.includes(code) ||
    view.model.relations.length > 0
  )
}

/** Query hooks may refuse writes, and some models need values that only the service can set. */
function canBeForbidden(rule: RuleWithoutErrors): boolean {
  const { operation, view } = rule
  const isNew = operation === 'CreateItem' || canCreate(rule)
  return (
    pathView(rule).hasWriteGuards ||
    hasUnreplaceableRelations(rule) ||
    (isNew && needsServerValues(view))
  )
}

/** Does the model have a required field that clients cannot set? */
function needsServerValues(view: ModelView): boolean {
  return view.model.valueFields.some(
    (field) =>
      field.isRequiredInRequest && (field.visibility === 'readOnly' || !isWritable(view, field)),
  )
}

/** Only null in a required to-one relation violates the model. */
function canClearRequiredRelation(
  relation: RelationField,
  operation: RuleWithoutErrors['operation'],
): boolean {
  return operation === 'RelationshipPatch' && relation.kind === 'toOne' && !relation.isOptional
}

type HeadersByCode = { readonly [code in ErrorCode]?: HeaderPresence }

const acceptPatch: HeadersByCode = { 'unsupported-media-type': { 'accept-patch': 'sometimes' } }

/** The headers of errors; `sometimes` if other errors with the same status do not have them. */
const headersByCode: HeadersByCode = {
  'method-not-allowed': { allow: 'always' },
  'unsupported-encoding': { 'accept-encoding': 'sometimes' },
  unauthorized: { 'www-authenticate': 'always' },
  'store-unavailable': { 'retry-after': 'sometimes' },
  'too-many-requests': { 'retry-after': 'sometimes' },
  overloaded: { 'retry-after': 'sometimes' },
  'validation-timeout': { 'retry-after': 'sometimes' },
  'range-not-satisfiable': { 'content-range': 'always' },
}
