import { catalog, type ErrorCode } from '../error/catalog.ts'
import type { RelationField } from '../model/description.ts'
import { canBeHeldBack } from '../model/held-back.ts'
import { isWritable, type ModelView } from '../model/model-view.ts'
import { isAlwaysRefused } from './always-refused.ts'
import { operations } from './operations.ts'
import type { BatchRequest, ErrorResponse, HeaderNames, ModelRule } from './rule.ts'

const ofAll: readonly ErrorCode[] = [
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

const ofBodies: readonly ErrorCode[] = [
  'empty-body',
  'malformed-json',
  'invalid-document',
  'request-timeout',
  'body-too-large',
  'unsupported-media-type',
  'unsupported-encoding',
  'validation-timeout',
]

const ofBytes: readonly ErrorCode[] = [
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

const ofNewItems: readonly ErrorCode[] = ['already-exists', 'invalid-id', 'id-not-allowed', 'forbidden']

/** A rule, before it is known what it can be refused for. */
export type ErringRule = Pick<
  ModelRule,
  'operation' | 'method' | 'view' | 'through' | 'resource' | 'action' | 'parameters' | 'request' | 'response'
>

/** The errors that an operation can answer, each once, as a rule lists them. */
export function errorResponses(rule: ErringRule): readonly ErrorResponse[] {
  if (isAlwaysRefused(rule)) return [...ofAll, ...ofAnswer(rule), ...refused].map((code) => errorResponse(code))
  const codes = new Set([
    ...ofAll,
    ...ofParameters(rule),
    ...ofAnswer(rule),
    ...ofBody(rule),
    ...operations[rule.operation].errors,
    ...(createsToo(rule) ? ofNewItems : []),
    ...(keepsRelations(rule) ? (['forbidden'] as const) : []),
  ])
  return [
    ...[...codes]
      .filter((code) => isPossible(rule, code))
      .map((code) => errorResponse(code, rule.method === 'PATCH' ? acceptPatch : {})),
    ...(rule.action?.responses ?? []).map((one) => Object.freeze({ ...one, code: undefined, headers: {} })),
  ]
}

/** A batch can answer whatever its operations can, and some more; what a hook answers to one of them ends it with that status. */
export function batchErrorResponses({ rules }: BatchRequest): readonly ErrorResponse[] {
  const ofRules = rules.flatMap((rule) => rule.errorResponses.flatMap(({ code }) => code ?? []))
  const codes = new Set([...ofAll, ...ofBodies, 'not-acceptable', ...operations.Batch.errors, ...ofRules] as const)
  const declared = rules.flatMap(({ declarations }) =>
    declarations.flatMap(({ responses = {} }) => Object.keys(responses)),
  )
  const refused = [...new Set(declared.map(Number))].filter((status) => status >= 400)
  const { description, headers } = errorResponse('operation-refused')
  return [
    ...[...codes].map((code) => errorResponse(code)),
    ...refused.map((status) => Object.freeze({ code: 'operation-refused' as const, status, description, headers })),
  ]
}

/** @param alsoCarries headers of this code on this method, beside those it always has */
export function errorResponse(code: ErrorCode, alsoCarries: HeadersByCode = {}): ErrorResponse {
  const { status, title } = catalog[code]
  return Object.freeze({ code, status, description: title, headers: { ...headersOf[code], ...alsoCarries[code] } })
}

function ofParameters({ parameters }: ErringRule): readonly ErrorCode[] {
  return parameters.length === 0 ? [] : ['repeated-parameter', ...parameters.flatMap((parameter) => parameter.errors)]
}

function ofAnswer({ response: { content, parameters } }: ErringRule): readonly ErrorCode[] {
  return content === 'resource' || (content === 'empty' && parameters.kind === 'charset') ? [] : ['not-acceptable']
}

function ofBody({ request }: ErringRule): readonly ErrorCode[] {
  switch (request.kind) {
    case 'none':
      return []
    case 'bytes':
      return ofBytes
    default:
      return [...ofBodies, ...request.errors, request.missingRelated]
  }
}

/** First it is seen that there is such an item. */
const refused: readonly ErrorCode[] = ['not-found', 'forbidden']

function createsToo({ operation, view }: ErringRule): boolean {
  return operation === 'ReplaceItem' && view.model.upsert
}

/** Some relations are added to and taken from, and never replaced as a whole. */
function keepsRelations({ operation, view }: ErringRule): boolean {
  const isWhole = operation === 'UpdateItem' || operation === 'ReplaceItem'
  return isWhole && view.model.relations.some((relation) => relation.kind !== 'toOne' && !relation.replaceable)
}

const ofRelations: readonly ErrorCode[] = ['invalid-relation', 'related-not-found', 'related-missing', 'conflict']

/** Images have to be made first. */
const ofVariants: readonly ErrorCode[] = ['unprocessable', 'image-too-large']

/** The size of images is looked at when they arrive. */
const ofSizes: readonly ErrorCode[] = ['image-too-large']

/** Some errors need what not every model has. */
function isPossible(rule: ErringRule, code: ErrorCode): boolean {
  const { operation, view, through, resource, action } = rule
  if (operation === 'GetResource' && ofVariants.includes(code)) return resource?.variant !== undefined
  if (operation === 'SetResource' && ofSizes.includes(code)) return resource?.slot.field.maxPixels !== undefined
  if (code === 'precondition-required') return (through?.view ?? view).requireMatch
  if (code === 'id-not-allowed') return view.model.ids === 'server'
  if (code === 'already-exists') return view.model.ids !== 'server'
  // What a caller sees, but may not replace, is not created either.
  if (code === 'not-found' && createsToo(rule)) return view.guardsWrites
  if (code === 'forbidden') return canBeForbidden(rule)
  if (code === 'invalid-member' && through) return canBeEmptied(through.relation, operation)
  if (code === 'invalid-resource') return view.model.slots.length > 0
  if (code === 'still-referenced') return canBeHeldBack(view.model)
  if (code === 'value-taken') return view.model.values.some((field) => field.unique)
  return through !== undefined || action !== undefined || !ofRelations.includes(code) || view.model.relations.length > 0
}

/** Middleware may narrow what can be written, and some models need what only the service can give. */
function canBeForbidden(rule: ErringRule): boolean {
  const { operation, view, through } = rule
  const isNew = operation === 'CreateItem' || createsToo(rule)
  return (through?.view ?? view).guardsWrites || keepsRelations(rule) || (isNew && needsService(view))
}

/** Has the model a field that every item needs, and that no client can give it? */
function needsService(view: ModelView): boolean {
  return view.model.values.some(
    (field) => field.requiredIn && (field.visibility === 'readOnly' || !isWritable(view, field)),
  )
}

/** Nothing but null for what is required breaks the model of the owner. */
function canBeEmptied(relation: RelationField, operation: ErringRule['operation']): boolean {
  return operation === 'RelationshipPatch' && relation.kind === 'toOne' && !relation.optional
}

type HeadersByCode = { readonly [code in ErrorCode]?: HeaderNames }

const acceptPatch: HeadersByCode = { 'unsupported-media-type': { 'accept-patch': 'sometimes' } }

/** What errors carry beside their documents; `sometimes` where others of the same status do not. */
const headersOf: HeadersByCode = {
  'method-not-allowed': { allow: 'always' },
  'unsupported-encoding': { 'accept-encoding': 'sometimes' },
  unauthorized: { 'www-authenticate': 'always' },
  'store-unavailable': { 'retry-after': 'sometimes' },
  'too-many-requests': { 'retry-after': 'sometimes' },
  overloaded: { 'retry-after': 'sometimes' },
  'validation-timeout': { 'retry-after': 'sometimes' },
  'range-not-satisfiable': { 'content-range': 'always' },
}
