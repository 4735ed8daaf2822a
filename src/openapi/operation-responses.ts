import { isAlwaysRefused } from '../rule/always-refused.ts'
import type { Declaration, DeclaredResponse } from '../rule/declaration.ts'
import {
  type Contents,
  type ErrorResponse,
  type HeaderPresence,
  noContents,
  type Rule,
} from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { jsonSchemaOf } from '../schema/standard-schema.ts'
import { unionSchema } from '../schema/union-schema.ts'
import { declaredHeaderUses, type HeaderUses, headerUses, mergeHeaderUses } from './header-uses.ts'
import { noResponseDescription } from './no-response-description.ts'

/** All that an operation answers with one status. */
export interface OperationResponse {
  readonly status: number
  readonly description: string
  readonly headers: HeaderUses
  readonly contents: ReturnType<Contents>
}

/**
 * What an operation can answer: one entry for each status, in ascending order. What rules refuse
 * alike is one value.
 */
export function createResponseLister(): (rule: Rule) => readonly OperationResponse[] {
  const refusalOf = createErrorResponseCache()
  return (rule) => {
    const { method, response, errorResponses, declarations } = rule
    const declared = declarations.flatMap(({ responses }) => Object.entries(responses ?? {}))
    const answers = [
      ...successShapes(rule).map((shape) => successResponse(shape, declarations)),
      ...(method === 'GET' && response.headers.etag
        ? [notModifiedResponse(response, declarations)]
        : []),
      ...groupByStatus([...errorResponses].sort(compareCodes)).map((errors) =>
        refusalOf(rule, errors),
      ),
      ...declared.map(([status, one]) => declaredResponse(Number(status), one, declarations)),
    ]
    return groupByStatus(answers).map((alike) => alike.reduce(mergeResponses))
  }
}

/** A batch of which no operation has anything to say is answered without a body. */
function successShapes(rule: Rule): readonly SuccessShape[] {
  if (rule.operation !== 'Batch')
    return isAlwaysRefused(rule) ? [] : [rule.response, ...rule.otherResponses]
  const { response } = rule
  const empty = {
    status: response.emptyStatus,
    contents: noContents,
    description: 'Done, and nothing to say of it',
  }
  return [response, { ...response, ...empty }]
}

type SuccessShape = Pick<
  Rule['response'],
  'status' | 'description' | 'headers' | 'contents' | 'content'
>

/** Those of one status together, the statuses ascending. */
function groupByStatus<T extends { readonly status: number }>(
  all: readonly T[],
): readonly (readonly [T, ...T[]])[] {
  const found = new Map<number, [T, ...T[]]>()
  for (const one of all) {
    const alike = found.get(one.status)
    if (alike) alike.push(one)
    else found.set(one.status, [one])
  }
  return [...found.entries()].sort(([one], [other]) => one - other).map(([, alike]) => alike)
}

function successResponse(
  shape: SuccessShape,
  declarations: readonly Declaration[],
): OperationResponse {
  return {
    status: shape.status,
    description: shape.description || noResponseDescription,
    headers: headerUses(
      shape.headers,
      declarations,
      shape.content === 'resource' ? 'bytes' : 'document',
    ),
    contents: shape.contents(),
  }
}

function notModifiedResponse(
  { content, headers }: SuccessShape,
  declarations: readonly Declaration[],
): OperationResponse {
  const { etag, 'cache-control': cacheControl } = headers
  const kept: HeaderPresence = {
    ...(etag && { etag: 'always' }),
    ...(cacheControl && { 'cache-control': cacheControl }),
  }
  return {
    status: 304,
    description: 'The client has this version already',
    headers: headerUses(kept, declarations, content === 'resource' ? 'known bytes' : 'document'),
    contents: {},
  }
}

/** One order for all, whatever the order in which rules came to know of errors. */
function compareCodes(one: ErrorResponse, other: ErrorResponse): number {
  const [first, second] = [one.code ?? '', other.code ?? '']
  return first < second ? -1 : first > second ? 1 : 0
}

type NonEmptyErrors = readonly [ErrorResponse, ...ErrorResponse[]]

/** Refusals by what they say; there are few of them, whatever the number of rules. */
function createErrorResponseCache(): (rule: Rule, errors: NonEmptyErrors) => OperationResponse {
  const known = new Map<JsonSchema, Map<string, OperationResponse>>()
  return (rule, errors) => {
    const { errorSchema } = rule.response.serializer
    if (rule.declarations.length > 0) return errorResponseOf(rule, errors)
    const alike = known.get(errorSchema) ?? new Map<string, OperationResponse>()
    known.set(errorSchema, alike)
    const texts = errors.map((error) =>
      [describeError(error), ...Object.keys(error.headers)].join(' '),
    )
    const key = [rule.response.serializer.errorMediaType, isPersonal(rule), ...texts].join()
    const answer = alike.get(key) ?? errorResponseOf(rule, errors)
    alike.set(key, answer)
    return answer
  }
}

function isPersonal(rule: Rule): boolean {
  return rule.operation !== 'Batch' && rule.isPersonal === true
}

/** Addresses that cannot be read are refused before it is known what they are about. */
function cacheHeaders(rule: Rule, status: number): HeaderPresence {
  if (status === 401 || status === 403) return { 'cache-control': 'always' }
  return isPersonal(rule) ? { 'cache-control': 'sometimes' } : {}
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
  }
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
