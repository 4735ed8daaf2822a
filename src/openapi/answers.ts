import { isAlwaysRefused } from '../rule/always-refused.ts'
import type { Declaration, DeclaredResponse } from '../rule/declaration.ts'
import { type Contents, type ErrorResponse, type HeaderNames, noContents, type Rule } from '../rule/rule.ts'
import { anyOf } from '../schema/any-of.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { jsonSchemaOf } from '../schema/standard-schema.ts'
import { type HeaderUses, usesOf, usesOfDeclared, usesOfEither } from './header-uses.ts'
import { noResponseDescription } from './no-response-description.ts'

/** All that an operation answers with one status. */
export interface Answer {
  readonly status: number
  readonly description: string
  readonly headers: HeaderUses
  readonly contents: ReturnType<Contents>
}

/** What an operation can answer: one entry for each status, in ascending order. What rules refuse alike is one value. */
export function answering(): (rule: Rule) => readonly Answer[] {
  const refusalOf = refusals()
  return (rule) => {
    const { method, response, errorResponses, declarations } = rule
    const declared = declarations.flatMap(({ responses }) => Object.entries(responses ?? {}))
    const answers = [
      ...successes(rule).map((shape) => success(shape, declarations)),
      ...(method === 'GET' && response.headers.etag ? [notModified(response, declarations)] : []),
      ...byStatus([...errorResponses].sort(byCode)).map((errors) => refusalOf(rule, errors)),
      ...declared.map(([status, one]) => declaredAnswer(Number(status), one, declarations)),
    ]
    return byStatus(answers).map((alike) => alike.reduce(merged))
  }
}

/** A batch of which no operation has anything to say is answered without a body. */
function successes(rule: Rule): readonly SuccessShape[] {
  if (rule.operation !== 'Batch') return isAlwaysRefused(rule) ? [] : [rule.response, ...rule.otherResponses]
  const { response } = rule
  const empty = { status: response.emptyStatus, contents: noContents, description: 'Done, and nothing to say of it' }
  return [response, { ...response, ...empty }]
}

type SuccessShape = Pick<Rule['response'], 'status' | 'description' | 'headers' | 'contents' | 'content'>

/** Those of one status together, the statuses ascending. */
function byStatus<T extends { readonly status: number }>(all: readonly T[]): readonly (readonly [T, ...T[]])[] {
  const found = new Map<number, [T, ...T[]]>()
  for (const one of all) {
    const alike = found.get(one.status)
    if (alike) alike.push(one)
    else found.set(one.status, [one])
  }
  return [...found.entries()].sort(([one], [other]) => one - other).map(([, alike]) => alike)
}

function success(shape: SuccessShape, declarations: readonly Declaration[]): Answer {
  return {
    status: shape.status,
    description: shape.description || noResponseDescription,
    headers: usesOf(shape.headers, declarations, shape.content === 'resource' ? 'bytes' : 'document'),
    contents: shape.contents(),
  }
}

function notModified({ content, headers }: SuccessShape, declarations: readonly Declaration[]): Answer {
  const { etag, 'cache-control': cacheControl } = headers
  const kept: HeaderNames = { ...(etag && { etag: 'always' }), ...(cacheControl && { 'cache-control': cacheControl }) }
  return {
    status: 304,
    description: 'The client has this version already',
    headers: usesOf(kept, declarations, content === 'resource' ? 'known bytes' : 'document'),
    contents: {},
  }
}

/** One order for all, whatever the order in which rules came to know of errors. */
function byCode(one: ErrorResponse, other: ErrorResponse): number {
  const [first, second] = [one.code ?? '', other.code ?? '']
  return first < second ? -1 : first > second ? 1 : 0
}

type Errors = readonly [ErrorResponse, ...ErrorResponse[]]

/** Refusals by what they say; there are few of them, whatever the number of rules. */
function refusals(): (rule: Rule, errors: Errors) => Answer {
  const known = new Map<JsonSchema, Map<string, Answer>>()
  return (rule, errors) => {
    const { errorSchema } = rule.response.serializer
    if (rule.declarations.length > 0) return refusal(rule, errors)
    const alike = known.get(errorSchema) ?? new Map<string, Answer>()
    known.set(errorSchema, alike)
    const texts = errors.map((error) => [told(error), ...Object.keys(error.headers)].join(' '))
    const key = [rule.response.serializer.errorMediaType, isPersonal(rule), ...texts].join()
    const answer = alike.get(key) ?? refusal(rule, errors)
    alike.set(key, answer)
    return answer
  }
}

function isPersonal(rule: Rule): boolean {
  return rule.operation !== 'Batch' && rule.isPersonal === true
}

/** Addresses that cannot be read are refused before it is known what they are about. */
function kept(rule: Rule, status: number): HeaderNames {
  if (status === 401 || status === 403) return { 'cache-control': 'always' }
  return isPersonal(rule) ? { 'cache-control': 'sometimes' } : {}
}

function refusal(rule: Rule, errors: Errors): Answer {
  const { serializer } = rule.response
  const { declarations } = rule
  const [first] = errors
  return {
    status: first.status,
    description: errors.length === 1 ? told(first) : errors.map((error) => `- ${told(error)}`).join('\n'),
    headers: usesOf(
      Object.assign({}, kept(rule, first.status), ...errors.map((error) => error.headers)),
      declarations,
      'document',
    ),
    contents: { [serializer.errorMediaType]: { schema: serializer.errorSchema } },
  }
}

function told({ code, description }: ErrorResponse): string {
  return code === undefined ? description : `\`${code}\`: ${description}`
}

function declaredAnswer(
  status: number,
  { description, content = {}, headers = {} }: DeclaredResponse,
  declarations: readonly Declaration[],
): Answer {
  const contents = Object.entries(content).map(([mediaType, schema]) => [
    mediaType,
    { schema: jsonSchemaOf(schema, 'output') },
  ])
  return {
    status,
    description: description || noResponseDescription,
    headers: usesOfDeclared(headers, declarations),
    contents: Object.fromEntries(contents),
  }
}

function merged(one: Answer, other: Answer): Answer {
  const mediaTypes = [...new Set([...Object.keys(one.contents), ...Object.keys(other.contents)])]
  return {
    status: one.status,
    description: [...new Set([one.description, other.description])].join('\n\n'),
    headers: usesOfEither(one.headers, other.headers),
    contents: Object.fromEntries(
      mediaTypes.map((mediaType) => {
        const contents = [one.contents[mediaType], other.contents[mediaType]].filter((content) => content !== undefined)
        return [mediaType, { ...contents[0], schema: anyOf(contents.map((content) => content.schema)) }]
      }),
    ),
  }
}
