import type { ApiRequest, ApiResponse } from 'resourcery'
import type { OpenApiDocument } from 'resourcery/openapi'
import { lazy } from '../../../src/cache/lazy.ts'
import {
  type DescribedOperation,
  type DescribedPath,
  describedPaths,
  mediaTypeOf,
} from './document.ts'
import { type DocumentSchemas, documentSchemas } from './schemas.ts'

/** One request with its response, both read to their ends. */
export interface Exchange {
  readonly request: Pick<ApiRequest, 'method' | 'path' | 'query' | 'headers'>
  readonly response: Pick<ApiResponse, 'status' | 'headers'>
  /** The body of the response. */
  readonly text: string
  /** The body of the request, where it was read. */
  readonly requestText: string | undefined
}

/** What tests allow middleware to do without declaring it. */
export interface Excused {
  /** Did middleware respond? */
  readonly answer: boolean
  /** Names of headers that it set, in lower case. */
  readonly headers: ReadonlySet<string>
}

/** Compares exchanges with a document. */
export interface Truth {
  /** What the exchange has that the document does not say, or says differently. */
  violations(exchange: Exchange, excused: Excused): readonly string[]
}

/** Headers that hosts add, or that the document expresses by its content. */
const unsaid = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
])

export function truthOf(document: OpenApiDocument, basePath: string): Truth {
  const paths = describedPaths(document)
  const responses = documentSchemas(document, 'closed')
  // Few tests send a body that a document describes.
  const requests = lazy(() => documentSchemas(document, 'as written'))
  return {
    violations: (exchange, excused) => {
      const { method, path } = exchange.request
      const below = path.startsWith(basePath) ? decoded(path.slice(basePath.length)) : undefined
      const found =
        below === undefined ? undefined : paths.find(({ matches }) => matches.test(below))
      if (!found) return exchange.response.status >= 400 ? [] : [`nothing is documented at ${path}`]
      const operation = found.operations.get(method === 'HEAD' ? 'GET' : method)
      if (!operation) return otherMethod(found, exchange)
      return [
        ...responseFaults(operation(), responses, exchange, excused),
        ...requestFaults(operation(), requests, exchange),
      ]
    },
  }
}

function otherMethod(
  { allow, operations }: DescribedPath,
  { request, response }: Exchange,
): readonly string[] {
  const { status, headers } = response
  // A limit refuses every method alike, so those that are documented say it.
  const isLimited =
    headers['retry-after'] !== undefined &&
    [...operations.values()].some((operation) => operation().responses.has(String(status)))
  const isRefused = status === 501 || status === 404 || status === 400 || isLimited
  // The document leaves out what refuses every request; only what it does not say is a success.
  if (status >= 400 && status < 500 && allow.split(', ').includes(request.method)) return []
  if (request.method !== 'OPTIONS' && status !== 405)
    return isRefused ? [] : [`${request.method} gets a response that is not documented`]
  return headers.allow === allow
    ? []
    : [`Allow is '${headers.allow}', where '${allow}' is documented`]
}

function responseFaults(
  { responses }: DescribedOperation,
  schemas: DocumentSchemas,
  { request, response, text }: Exchange,
  excused: Excused,
): readonly string[] {
  const { status, headers } = response
  const described = responses.get(String(status))
  // Readers of the document never get it: pages of other sites cannot read their responses.
  if (status === 403 && text.includes('"cross-site-request"')) return []
  if (!described) return excused.answer ? [] : [`the status ${status} is not documented`]
  if (excused.answer) return []
  const errors: string[] = []
  for (const [name, { required, schema }] of described.headers) {
    const value = headers[name]
    if (value === undefined && required) errors.push(`the header ${name} is missing`)
    for (const line of [value ?? []].flat()) {
      const error = schemas.fault(schema, line)
      if (error) errors.push(`the header ${name} is '${line}': ${error}`)
    }
  }
  for (const name of Object.keys(headers))
    if (!described.headers.has(name) && !unsaid.has(name) && !excused.headers.has(name))
      errors.push(`the header ${name} is not documented`)
  if (request.method === 'HEAD' || (text === '' && described.contents.size === 0)) return errors
  const type = mediaTypeOf(String(headers['content-type']))
  const schema = ofType(described.contents, type)
  if (schema === undefined) return [...errors, `the media type '${type}' is not documented`]
  const error = /[/+]json(?:;|$)/.test(type) ? schemas.fault(schema, JSON.parse(text)) : undefined
  return error ? [...errors, error] : errors
}

/** An accepted request has to be documented. */
function requestFaults(
  { requests }: DescribedOperation,
  schemas: () => DocumentSchemas,
  { request, response, requestText: sent }: Exchange,
): readonly string[] {
  const schema = ofType(requests, mediaTypeOf(request.headers['content-type']))
  const isJson = /[/+]json(?:;|$)/.test(mediaTypeOf(request.headers['content-type']))
  if (response.status >= 300 || !sent || schema === undefined || !isJson) return []
  const error = schemas().fault(schema, JSON.parse(sent))
  return error ? [`the request was accepted, though ${error}: ${sent.slice(0, 300)}`] : []
}

/**
 * A canonical spelling of each path; undefined where it cannot be decoded. An encoded slash stays
 * within its segment.
 */
function decoded(path: string): string | undefined {
  try {
    return path
      .split('/')
      .map((segment) => decodeURIComponent(segment).replaceAll('/', '%2F'))
      .join('/')
  } catch {
    return undefined
  }
}

/** The content of a media type, or of the narrowest range that contains it. */
function ofType(contents: ReadonlyMap<string, string>, type: string): string | undefined {
  return contents.get(type) ?? contents.get(`${type.split('/')[0]}/*`) ?? contents.get('*/*')
}
