import { unwrittenRuleKeywords, unwrittenRules } from '../../error/unwritten-rule.ts'
import type { UnwrittenRule } from '../../policy/public.ts'
import { type DocumentNode, isRecord, memberNode, memberNodes } from './document-node.ts'

type ParameterLocation = 'path' | 'query' | 'header'

export interface DescribedParameter {
  readonly name: string
  readonly location: ParameterLocation
  readonly isRequired: boolean
  /** True: one entry for each item of an array. False: one entry with commas. */
  readonly explode: boolean
  readonly schema: DocumentNode
}

export interface DescribedResponse {
  readonly content: ReadonlyMap<string, DocumentNode | undefined>
  readonly headers: ReadonlyMap<
    string,
    { readonly isRequired: boolean; readonly schema: DocumentNode | undefined }
  >
  /** Why a valid request may be refused with it. */
  readonly unwrittenRules: readonly UnwrittenRule[]
}

/** One operation of a document, with resolved references. */
export interface DescribedOperation {
  readonly id: string
  /** In upper case. */
  readonly method: string
  /** The path template of the document. */
  readonly path: string
  /** All methods of the path that do not get 405; those without an operation are refused. */
  readonly allow: ReadonlySet<string>
  readonly parameters: readonly DescribedParameter[]
  readonly body:
    | {
        readonly isRequired: boolean
        readonly content: ReadonlyMap<string, DocumentNode | undefined>
      }
    | undefined
  /** Keys are a status (`200`), a class (`4XX`), or `default`. */
  readonly responses: ReadonlyMap<string, DescribedResponse>
}

const allowKeyword = 'x-resourcery-allow'

const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete', 'query', 'trace']

/**
 * Every operation of an OpenAPI document.
 * @throws Error if it is not an OpenAPI 3.1 or 3.2 document, or a reference does not resolve
 */
export function describedOperations(document: unknown): readonly DescribedOperation[] {
  if (
    !isRecord(document) ||
    typeof document.openapi !== 'string' ||
    !/^3\.[12]\./.test(document.openapi)
  )
    throw new Error(
      'Expected an OpenAPI 3.1 or 3.2 document (their schemas are JSON Schema 2020-12).',
    )
  const paths = memberNode(document, { value: document, pointer: '' }, 'paths')
  return [...memberNodes(document, paths)].flatMap(([path, item]) =>
    hasOwnServers(item)
      ? []
      : methods.flatMap((method) => {
          const operation = memberNode(document, item, method)
          return operation ? [describeOperation(document, path, method, item, operation)] : []
        }),
  )
}

/** Another server serves such a path, so it is not checked. */
function hasOwnServers({ value }: DocumentNode): boolean {
  return isRecord(value) && value.servers !== undefined
}

function describeOperation(
  document: unknown,
  path: string,
  method: string,
  item: DocumentNode,
  operation: DocumentNode,
): DescribedOperation {
  const body = memberNode(document, operation, 'requestBody')
  const id = isRecord(operation.value) ? operation.value.operationId : undefined
  return {
    id: typeof id === 'string' ? id : `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    allow: allowedMethods(item),
    parameters: parametersOf(document, item, operation),
    body: body && { isRequired: isTrue(body, 'required'), content: contentOf(document, body) },
    responses: new Map(
      [...memberNodes(document, memberNode(document, operation, 'responses'))].map(
        ([status, response]) => [
          status,
          {
            content: contentOf(document, response),
            headers: headersOf(document, response),
            unwrittenRules: unwrittenRules.filter((rule) =>
              isTrue(response, unwrittenRuleKeywords[rule]),
            ),
          },
        ],
      ),
    ),
  }
}

/** The `Allow` header of the path, or the methods that have an operation. */
function allowedMethods({ value }: DocumentNode): ReadonlySet<string> {
  const item = value as Readonly<Record<string, unknown>>
  const allow = item[allowKeyword]
  if (typeof allow === 'string') return new Set(allow.split(',').map((name) => name.trim()))
  const documented = methods.filter((method) => Object.hasOwn(item, method))
  const reads = documented.includes('get') ? ['head'] : []
  return new Set([...documented, ...reads, 'options'].map((method) => method.toUpperCase()))
}

/** Parameters of the operation override those of its path. */
function parametersOf(
  document: unknown,
  item: DocumentNode,
  operation: DocumentNode,
): readonly DescribedParameter[] {
  const byName = new Map<string, DescribedParameter>()
  for (const holder of [item, operation]) {
    const list = memberNode(document, holder, 'parameters')
    for (const [index] of list && Array.isArray(list.value) ? list.value.entries() : []) {
      const node = memberOfArray(document, list!, index)
      const {
        name,
        in: location,
        explode = true,
      } = node.value as { name: string; in: ParameterLocation; explode?: boolean }
      const schema =
        memberNode(document, node, 'schema') ?? [...contentOf(document, node).values()][0]
      if (schema && (location === 'path' || location === 'query' || location === 'header'))
        byName.set(`${location} ${name}`, {
          name,
          location,
          isRequired: isTrue(node, 'required'),
          explode,
          schema,
        })
    }
  }
  return [...byName.values()]
}

function memberOfArray(
  document: unknown,
  { value, pointer }: DocumentNode,
  index: number,
): DocumentNode {
  return memberNode(
    document,
    { value: { ...(value as readonly unknown[]) }, pointer },
    String(index),
  )!
}

function contentOf(
  document: unknown,
  holder: DocumentNode,
): ReadonlyMap<string, DocumentNode | undefined> {
  const content = memberNodes(document, memberNode(document, holder, 'content'))
  return new Map(
    [...content].map(([type, media]) => [
      type.toLowerCase(),
      memberNode(document, media, 'schema'),
    ]),
  )
}

function headersOf(document: unknown, response: DocumentNode): DescribedResponse['headers'] {
  return new Map(
    [...memberNodes(document, memberNode(document, response, 'headers'))].map(([name, header]) => [
      name.toLowerCase(),
      { isRequired: isTrue(header, 'required'), schema: memberNode(document, header, 'schema') },
    ]),
  )
}

function isTrue({ value }: DocumentNode, name: string): boolean {
  return isRecord(value) && value[name] === true
}

/** The description of a status: exact, by class, or default; undefined if there is none. */
export function responseFor(
  { responses }: DescribedOperation,
  status: number,
): DescribedResponse | undefined {
  return (
    responses.get(String(status)) ??
    responses.get(`${Math.floor(status / 100)}XX`) ??
    responses.get('default')
  )
}

/** The schemas of what requests send. */
export function sentSchemas({ parameters, body }: DescribedOperation): readonly DocumentNode[] {
  return [...parameters.map(({ schema }) => schema), ...(body?.content.values() ?? [])].filter(
    (schema): schema is DocumentNode => schema !== undefined,
  )
}

/** All schemas of an operation. */
export function schemasIn(operation: DescribedOperation): readonly DocumentNode[] {
  const responseSchemas = [...operation.responses.values()].flatMap(({ content, headers }) => [
    ...content.values(),
    ...[...headers.values()].map((header) => header.schema),
  ])
  return [
    ...sentSchemas(operation),
    ...responseSchemas.filter((schema): schema is DocumentNode => schema !== undefined),
  ]
}
