import { catalog, type ErrorCode } from '../error/catalog.ts'
import { type ModelOperation, operations } from './operations.ts'
import type { BatchRequest, ErrorResponse, Method, ModelRule, RequestShape } from './rule.ts'

const always: readonly ErrorCode[] = [
  'malformed-request',
  'not-acceptable',
  'unknown-parameter',
  'internal-error',
  'store-unavailable',
]
const ofLists: readonly ErrorCode[] = [
  'unknown-field',
  'unknown-operator',
  'invalid-value',
  'invalid-filter',
  'invalid-sort',
  'invalid-include',
  'invalid-page',
  'invalid-cursor',
  'page-too-large',
  'limit-exceeded',
]

const bodyErrors: readonly ErrorCode[] = [
  'empty-body',
  'malformed-json',
  'invalid-document',
  'body-too-large',
  'unsupported-media-type',
  'unsupported-encoding',
]

const bytesErrors: readonly ErrorCode[] = [
  'empty-body',
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

/** The errors that an operation can answer, as a rule lists them. */
export function errorResponses(
  operation: ModelOperation,
  method: Method,
  request: RequestShape,
  action: ModelRule['action'],
): readonly ErrorResponse[] {
  const ofQuery = method === 'GET' && operation !== 'GetResource' ? ofLists : []
  const codes = [...always, ...operations[operation].errors, ...ofBody(request), ...ofQuery]
  const declared = (action?.responses ?? []).map((one) => Object.freeze({ ...one, code: undefined }))
  return [...codes.map(errorResponse), ...declared]
}

/** A batch can answer whatever its operations can, and some more. */
export function batchErrorResponses({ rules }: BatchRequest): readonly ErrorResponse[] {
  const ofRules = rules.flatMap((rule) => rule.errorResponses.flatMap(({ code }) => code ?? []))
  return [...new Set([...always, ...operations.Batch.errors, ...bodyErrors, ...ofRules])].map(errorResponse)
}

function errorResponse(code: ErrorCode): ErrorResponse {
  return Object.freeze({ code, status: catalog[code].status, description: catalog[code].title })
}

function ofBody(request: RequestShape): readonly ErrorCode[] {
  if (request.kind === 'none') return []
  return request.kind === 'bytes' ? bytesErrors : [...bodyErrors, request.missingRelated]
}
