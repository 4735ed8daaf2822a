import { type UnwrittenRule, unwrittenRules } from '../error/unwritten-rule.ts'
import { isSafe } from '../http/safe-method.ts'
import { type Contents, noContents } from '../rule/contents.ts'
import type { Declaration, DeclaredResponse, RuleDeclaration } from '../rule/declaration.ts'
import type { ErrorResponse, HeaderPresence, ResponseShape } from '../rule/response-shape.ts'
import { isModelRule, type Rule } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { jsonSchemaOf } from '../schema/standard-schema.ts'
import { unionSchema } from '../schema/union-schema.ts'
import {
  declaredHeaderUses,
  type HeaderUses,
  headerUses,
  mergeHeaderUses,
  successHeaderUses,
} from './header-uses.ts'
import { noResponseDescription } from './no-response-description.ts'

/** All responses of an operation with one status, merged. */
export interface OperationResponse {
  readonly status: number
  readonly description: string
  readonly headers: HeaderUses
  readonly contents: ReturnType<Contents>
  readonly unwrittenRules?: readonly UnwrittenRule[]
}

/**
 * Lists the responses of an operation: one entry for each status, ascending. Rules with the same
 * errors share one value.
 */
export function createResponseLister(): (rule: Rule) => readonly OperationResponse[] {
  const cachedErrorResponse = createErrorResponseCache()
  return (rule) => {
    const { response, errorResponses, declarations } = rule
    const declared = declarations.flatMap(({ responses }) => Object.entries(responses ?? {}))
    const responses = [
      ...successShapes(rule).map((shape) => successResponse(shape, declarations)),
      ...(isSafe(rule) && response.headers.etag
        ? [notModifiedResponse(response, declarations)]
        : []),
      ...groupByStatus([...errorResponses].sort(compareCodes)).map((errors) =>
        cachedErrorResponse(rule, errors),
      ),
      ...declared.map(([status, item]) => declaredResponse(Number(status), item, declarations)),
    ]
    return groupByStatus(responses).map((group) => group.reduce(mergeResponses))
  }
}

/** A batch without any result has an empty response. */
function successShapes(rule: Rule): readonly SuccessShape[] {
  if (isModelRule(rule)) return [withAllHeaders(rule.response), ...rule.otherResponses]
  if (rule.operation === 'GetFeed') return [rule.response]
  const { response } = rule
  const empty = {
    status: response.emptyStatus,
    contents: noContents,
    description: 'Success without a body',
  }
  return [response, { ...response, ...empty }]
}

/** Also those of other media types. */
function withAllHeaders(response: ResponseShape): SuccessShape {
  const others = (response.alternatives ?? []).map(({ headers }) => headers)
  return { ...response, headers: Object.assign({}, ...others, response.headers) }
}

type SuccessShape = Pick<
  Rule['response'],
  'status' | 'description' | 'headers' | 'contents' | 'content'
>

/** Groups by status, ascending. */
function groupByStatus<T extends { readonly status: number }>(
  all: readonly T[],
): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<number, [T, ...T[]]>()
  for (const response of all) {
    const group = groups.get(response.status)
    if (group) group.push(response)
    else groups.set(response.status, [response])
  }
  return [...groups.entries()].sort(([one], [other]) => one - other).map(([, group]) => group)
}

function successResponse(
  shape: SuccessShape,
  declarations: readonly RuleDeclaration[],
): OperationResponse {
  const kind = shape.content === 'resource' ? 'bytes' : 'document'
  return {
    status: shape.status,
    description: shape.description || noResponseDescription,
    headers: {
      ...headerUses(shape.headers, declarations, kind),
      ...successHeaderUses(declarations),
    },
    contents: shape.contents(),
  }
}

function notModifiedResponse(
  { content, headers }: SuccessShape,
  declarations: readonly Declaration[],
): OperationResponse {
  const { etag, 'cache-control': cacheControl, 'changes-position': position } = headers
  const names: HeaderPresence = {
    ...(etag && { etag: 'always' }),
    ...(cacheControl && { 'cache-control': cacheControl }),
    ...(position && { 'changes-position': position }),
  }
  return {
    status: 304,
    description: 'Not modified',
    headers: headerUses(
      names,
      declarations,
      content === 'resource' ? 'unmodified bytes' : 'document',
    ),
    contents: {},
  }
}

/** Sorts by code, so that the document does not depend on the order of registration. */
function compareCodes(one: ErrorResponse, other: ErrorResponse): number {
  const [first, second] = [one.code ?? '', other.code ?? '']
  return first < second ? -1 : first > second ? 1 : 0
}

type NonEmptyErrors = readonly [ErrorResponse, ...ErrorResponse[]]

/** Caches error responses by content: rules have few different ones. */
function createErrorResponseCache(): (rule: Rule, errors: NonEmptyErrors) => OperationResponse {
  const cache = new Map<JsonSchema, Map<string, OperationResponse>>()
  return (rule, errors) => {
    const { errorSchema } = rule.response.serializer
    if (rule.declarations.some(({ headers }) => headers)) return errorResponseOf(rule, errors)
    const byKey = cache.get(errorSchema) ?? new Map<string, OperationResponse>()
    cache.set(errorSchema, byKey)
    const texts = errors.map((error) =>
      [describeError(error), ...Object.keys(error.headers), ...(error.unwrittenRules ?? [])].join(
        ' ',
      ),
    )
    const key = [rule.response.serializer.errorMediaType, rule.isPersonal, ...texts].join()
    const response = byKey.get(key) ?? errorResponseOf(rule, errors)
    byKey.set(key, response)
    return response
  }
}

/**
 * Malformed paths are refused before the rule is known, so `cache-control` is not on all errors.
 */
function cacheHeaders(rule: Rule, status: number): HeaderPresence {
  if (status === 401 || status === 403) return { 'cache-control': 'always' }
  return rule.isPersonal ? { 'cache-control': 'sometimes' } : {}
}

function errorResponseOf(rule: Rule, errors: NonEmptyErrors): OperationResponse {
  const { serializer } = rule.response
  const { declarations } = rule
  const [first] = errors
  return {
    status: first.status,
    description:
      errors.length === 1
        ? describeError(first)
        : errors.map((error) => `- ${describeError(error)}`).join('\n'),
    headers: headerUses(
      Object.assign({}, cacheHeaders(rule, first.status), ...errors.map((error) => error.headers)),
      declarations,
      'document',
    ),
    contents: { [serializer.errorMediaType]: { schema: serializer.errorSchema } },
    unwrittenRules: rulesOf(errors),
  }
}

function rulesOf(
  responses: readonly Pick<OperationResponse, 'unwrittenRules'>[],
): readonly UnwrittenRule[] {
  const rules = new Set(responses.flatMap((response) => response.unwrittenRules ?? []))
  return unwrittenRules.filter((rule) => rules.has(rule))
}

function describeError({ code, description }: ErrorResponse): string {
  return code === undefined ? description : `\`${code}\`: ${description}`
}

function declaredResponse(
  status: number,
  { description, content = {}, headers = {} }: DeclaredResponse,
  declarations: readonly Declaration[],
): OperationResponse {
  const contents = Object.entries(content).map(([mediaType, schema]) => [
    mediaType,
    { schema: jsonSchemaOf(schema, 'output') },
  ])
  return {
    status,
    description: description || noResponseDescription,
    headers: declaredHeaderUses(headers, declarations),
    contents: Object.fromEntries(contents),
  }
}

function mergeResponses(one: OperationResponse, other: OperationResponse): OperationResponse {
  const mediaTypes = [...new Set([...Object.keys(one.contents), ...Object.keys(other.contents)])]
  return {
    status: one.status,
    description: [...new Set([one.description, other.description])].join('\n\n'),
    headers: mergeHeaderUses(one.headers, other.headers),
    unwrittenRules: rulesOf([one, other]),
    contents: Object.fromEntries(
      mediaTypes.map((mediaType) => {
        const contents = [one.contents[mediaType], other.contents[mediaType]].filter(
          (content) => content !== undefined,
        )
        return [
          mediaType,
          { ...contents[0], schema: unionSchema(contents.map((content) => content.schema)) },
        ]
      }),
    ),
  }
}
