import type { OpenApiDocument } from 'resourcery/openapi'
import { lazy } from '../../../src/cache/lazy.ts'

/** The parts of a document that responses are compared with, with references resolved. */
export interface DescribedOperation {
  /** A JSON Pointer to the operation. */
  readonly pointer: string
  readonly responses: ReadonlyMap<string, DescribedResponse>
  /** Pointers to the schemas of the request, by media type. */
  readonly requests: ReadonlyMap<string, string>
}

interface DescribedResponse {
  /** By name in lower case: whether it is required, and a pointer to its schema. */
  readonly headers: ReadonlyMap<string, { readonly required: boolean; readonly schema: string }>
  /** Pointers to the schemas, by media type. */
  readonly contents: ReadonlyMap<string, string>
}

export interface DescribedPath {
  readonly template: string
  readonly matches: RegExp
  readonly allow: string
  /** By method; few of them are needed. */
  readonly operations: ReadonlyMap<string, () => DescribedOperation>
}

type Json = { readonly [member: string]: Json }

const methods = ['get', 'query', 'post', 'put', 'patch', 'delete']

/** The paths, those with fewer parameters first: literal segments win. */
export function describedPaths(document: OpenApiDocument): readonly DescribedPath[] {
  const root = document as unknown as Json
  return Object.keys(document.paths)
    .filter((template) => !document.paths[template]!.servers)
    .map((template): DescribedPath => {
      const item = document.paths[template]! as unknown as Json
      const pointer = `/paths/${escaped(template)}`
      const own = methods.filter((method) => item[method])
      return {
        template,
        matches: new RegExp(
          `^${template.replaceAll(/[.+*?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
        ),
        allow: String(item['x-resourcery-allow']),
        operations: new Map(
          own.map((method) => [
            method.toUpperCase(),
            lazy(() => describedOperation(root, `${pointer}/${method}`)),
          ]),
        ),
      }
    })
    .sort((entry, other) => entry.template.split('{').length - other.template.split('{').length)
}

function describedOperation(root: Json, pointer: string): DescribedOperation {
  const { responses = {}, requestBody } = valueAt(root, pointer)
  return {
    pointer,
    responses: new Map(
      Object.keys(responses).map((status) => [
        status,
        describedResponse(root, `${pointer}/responses/${status}`),
      ]),
    ),
    requests: requestBody ? contentsOf(root, `${pointer}/requestBody`) : new Map(),
  }
}

function describedResponse(root: Json, pointer: string): DescribedResponse {
  const target = followed(root, pointer)
  const { headers = {} } = valueAt(root, target)
  return {
    contents: contentsOf(root, target),
    headers: new Map(
      Object.keys(headers).map((name) => {
        const header = followed(root, `${target}/headers/${escaped(name)}`)
        return [
          name.toLowerCase(),
          {
            required: (valueAt(root, header).required as unknown) === true,
            schema: `${header}/schema`,
          },
        ]
      }),
    ),
  }
}

function contentsOf(root: Json, pointer: string): ReadonlyMap<string, string> {
  const { content = {} } = valueAt(root, pointer)
  return new Map(
    Object.keys(content).map((type) => [
      mediaTypeOf(type),
      `${pointer}/content/${escaped(type)}/schema`,
    ]),
  )
}

/** Without parameters, which belong to negotiation; extensions of JSON:API give other documents. */
export function mediaTypeOf(header = ''): string {
  const [type = ''] = header.split(';')
  const [extensions = ''] = header.match(/;\s*ext="[^"]*"/) ?? []
  return type.trim().toLowerCase() + extensions.replaceAll(/\s/g, '')
}

function followed(root: Json, pointer: string): string {
  const reference = valueAt(root, pointer).$ref as unknown
  return typeof reference === 'string' ? reference.slice(1) : pointer
}

/** The value at a JSON Pointer (RFC 6901). */
export function valueAt(root: object, pointer: string): Json {
  return pointer
    .split('/')
    .slice(1)
    .reduce((value, step) => value[step.replaceAll('~1', '/').replaceAll('~0', '~')]!, root as Json)
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
