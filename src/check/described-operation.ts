import { type At, isObject, member, members } from './node-at.ts'

export type Place = 'path' | 'query' | 'header'

export interface DescribedParameter {
  readonly name: string
  readonly place: Place
  readonly required: boolean
  /** Whether an array is sent as one entry for each of its items, or as one with commas. */
  readonly explode: boolean
  readonly schema: At
}

export interface DescribedResponse {
  readonly content: ReadonlyMap<string, At | undefined>
  readonly headers: ReadonlyMap<string, { readonly required: boolean; readonly schema: At | undefined }>
}

/** One operation as its document describes it, references followed. */
export interface DescribedOperation {
  readonly id: string
  /** In capitals. */
  readonly method: string
  /** The template, as it stands in the document. */
  readonly path: string
  readonly parameters: readonly DescribedParameter[]
  readonly body: { readonly required: boolean; readonly content: ReadonlyMap<string, At | undefined> } | undefined
  /** By status (`200`), by class (`4XX`), or `default`. */
  readonly responses: ReadonlyMap<string, DescribedResponse>
}

const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete', 'query', 'trace']

/**
 * Every operation of an OpenAPI document.
 * @throws Error when it is no document of OpenAPI 3.1 or 3.2, or refers to what is not there.
 */
export function describedOperations(document: unknown): readonly DescribedOperation[] {
  if (!isObject(document) || typeof document.openapi !== 'string' || !/^3\.[12]\./.test(document.openapi))
    throw new Error('Expected is a document of OpenAPI 3.1 or 3.2: their schemas are JSON Schema 2020-12.')
  const paths = member(document, { value: document, pointer: '' }, 'paths')
  return [...members(document, paths)].flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = member(document, item, method)
      return operation ? [described(document, path, method, item, operation)] : []
    }),
  )
}

function described(document: unknown, path: string, method: string, item: At, operation: At): DescribedOperation {
  const body = member(document, operation, 'requestBody')
  const id = isObject(operation.value) ? operation.value.operationId : undefined
  return {
    id: typeof id === 'string' ? id : `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    parameters: parametersOf(document, item, operation),
    body: body && { required: isTrue(body, 'required'), content: contentOf(document, body) },
    responses: new Map(
      [...members(document, member(document, operation, 'responses'))].map(([status, response]) => [
        status,
        { content: contentOf(document, response), headers: headersOf(document, response) },
      ]),
    ),
  }
}

/** Those of the operation go before those of its path. */
function parametersOf(document: unknown, item: At, operation: At): readonly DescribedParameter[] {
  const found = new Map<string, DescribedParameter>()
  for (const holder of [item, operation]) {
    const list = member(document, holder, 'parameters')
    for (const [index] of list && Array.isArray(list.value) ? list.value.entries() : []) {
      const at = memberOfArray(document, list!, index)
      const { name, in: place, explode = true } = at.value as { name: string; in: Place; explode?: boolean }
      const schema = member(document, at, 'schema') ?? [...contentOf(document, at).values()][0]
      if (schema && (place === 'path' || place === 'query' || place === 'header'))
        found.set(`${place} ${name}`, { name, place, required: isTrue(at, 'required'), explode, schema })
    }
  }
  return [...found.values()]
}

function memberOfArray(document: unknown, { value, pointer }: At, index: number): At {
  return member(document, { value: { ...(value as readonly unknown[]) }, pointer }, String(index))!
}

function contentOf(document: unknown, holder: At): ReadonlyMap<string, At | undefined> {
  const content = members(document, member(document, holder, 'content'))
  return new Map([...content].map(([type, media]) => [type.toLowerCase(), member(document, media, 'schema')]))
}

function headersOf(document: unknown, response: At): DescribedResponse['headers'] {
  return new Map(
    [...members(document, member(document, response, 'headers'))].map(([name, header]) => [
      name.toLowerCase(),
      { required: isTrue(header, 'required'), schema: member(document, header, 'schema') },
    ]),
  )
}

function isTrue({ value }: At, name: string): boolean {
  return isObject(value) && value[name] === true
}

/** What is described for a status, the narrowest first; undefined where nothing is. */
export function responseFor({ responses }: DescribedOperation, status: number): DescribedResponse | undefined {
  return responses.get(String(status)) ?? responses.get(`${Math.floor(status / 100)}XX`) ?? responses.get('default')
}
