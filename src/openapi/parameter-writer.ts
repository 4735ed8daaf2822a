import { toPascalCase } from '../model/naming.ts'
import type { DocumentedParameter, QueryParameter } from '../rule/query-parameter.ts'
import { pathView, type Rule } from '../rule/rule.ts'
import type { ComponentRegistry } from './component-registry.ts'
import type { ParameterObject, Reference } from './document.ts'
import type { ItemSchemaMode } from './schema-names.ts'

type WrittenParameter = ParameterObject | Reference

/**
 * All that operations can be asked beside their bodies: in the path, the query string and the
 * headers. What operations share is written once.
 */
export function createParameterWriter(
  shelf: ComponentRegistry,
  documented: ParameterDescriber,
): (rule: Rule) => readonly WrittenParameter[] {
  const known = new Map<DocumentedParameter, WrittenParameter>()
  const ofQuery = (parameter: DocumentedParameter): WrittenParameter => {
    const written = known.get(parameter) ?? createQueryParameter(parameter, shelf)
    known.set(parameter, written)
    return written
  }
  const ofPath = (name: string, rule: Rule): WrittenParameter => {
    const model = name === 'id' && rule.operation !== 'Batch' ? pathView(rule).model : undefined
    if (model?.exampleId === undefined)
      return shelf.parameter(toPascalCase(name), createPathParameter(name))
    const parameter = { ...createPathParameter(name), example: model.exampleId }
    return shelf.parameter(toPascalCase(model.name) + toPascalCase(name), parameter)
  }
  return (rule) => [
    ...[...rule.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ofPath(name, rule)),
    ...rule.parameters.flatMap(documented).map(ofQuery),
    ...headerParameters(rule).map(([name, parameter]) => shelf.parameter(name, parameter)),
  ]
}

/** What a parameter documents. */
export type ParameterDescriber = (parameter: QueryParameter) => readonly DocumentedParameter[]

/**
 * Asks each parameter once. Where items are described whole, clients cannot choose their members.
 */
export function createParameterDescriber(items: ItemSchemaMode): ParameterDescriber {
  const known = new Map<QueryParameter, readonly DocumentedParameter[]>()
  return (parameter) => {
    if (items === 'whole' && parameter.baseNames.includes('fields')) return []
    const documented = known.get(parameter) ?? parameter.describe()
    known.set(parameter, documented)
    return documented
  }
}

function createPathParameter(name: string): ParameterObject {
  return {
    name,
    in: 'path',
    description: `The \`${name}\` path segment`,
    required: true,
    schema: { type: 'string' },
  }
}

const stylesByKind = {
  plain: {},
  commas: { style: 'form', explode: false },
  members: { style: 'deepObject', explode: true },
} as const satisfies Record<DocumentedParameter['style'], object>

function createQueryParameter(
  { name, description, isDeprecated, schema, example, style, componentName }: DocumentedParameter,
  shelf: ComponentRegistry,
): ParameterObject | Reference {
  return shelf.parameter(componentName, {
    name,
    in: 'query',
    description,
    ...(isDeprecated && { deprecated: isDeprecated }),
    ...stylesByKind[style],
    // Of a parameter that is an object, documentation pages show what its schema says alone.
    schema: shelf.schema(
      style === 'members' && !schema.component ? { ...schema, description } : schema,
    ),
    ...(example !== undefined && { example }),
  })
}

type HeaderParameter = readonly [name: string, parameter: ParameterObject]

/**
 * Conditional requests, parts, and digests: reads by the version that the client has, writes by the
 * version it wants to change.
 */
function headerParameters(rule: Rule): readonly HeaderParameter[] {
  const { method, request, response, errorResponses } = rule
  if (method === 'GET')
    return [
      ...(response.headers.etag ? [ifNoneMatch] : []),
      ...(response.content === 'resource' ? rangeHeaders : []),
    ]
  const digests = request.kind === 'bytes' ? [contentDigest, reprDigest] : []
  if (!errorResponses.some(({ code }) => code === 'precondition-failed')) return digests
  const isRequired = errorResponses.some(({ code }) => code === 'precondition-required')
  return [isRequired ? requiredIfMatch : ifMatch, writeIfNoneMatch, ...digests]
}

function createHeaderParameter(
  name: string,
  description: string,
  required = false,
): ParameterObject {
  return {
    name,
    in: 'header',
    description,
    ...(required && { required }),
    schema: { type: 'string' },
  }
}

const ifMatchText =
  'The ETag of the item as it is known to the client: if it has changed, nothing is done (412). `*` stands for any version.'

const ifNoneMatch: HeaderParameter = [
  'IfNoneMatch',
  createHeaderParameter(
    'If-None-Match',
    'ETags that the client has: where one is current, the answer is 304 without a body.',
  ),
]
const ifMatch: HeaderParameter = ['IfMatch', createHeaderParameter('If-Match', ifMatchText)]
const requiredIfMatch: HeaderParameter = [
  'RequiredIfMatch',
  { ...createHeaderParameter('If-Match', ifMatchText, true), example: '*' },
]
const writeIfNoneMatch: HeaderParameter = [
  'UnlessMatch',
  createHeaderParameter(
    'If-None-Match',
    'ETags that must not be current, or `*` for an item that must not be there; else 412.',
  ),
]
const rangeHeaders: readonly HeaderParameter[] = [
  [
    'Range',
    createHeaderParameter(
      'Range',
      'The part that is wanted, such as `bytes=0-1023` (RFC 9110 §14.2).',
    ),
  ],
  [
    'IfRange',
    createHeaderParameter(
      'If-Range',
      'The ETag that the part has to be of: else all is sent (RFC 9110 §13.1.5).',
    ),
  ],
  [
    'WantReprDigest',
    createHeaderParameter('Want-Repr-Digest', 'Asks for a digest: `sha-256=1` (RFC 9530 §4).'),
  ],
]
const contentDigest: HeaderParameter = [
  'ContentDigest',
  createHeaderParameter(
    'Content-Digest',
    'The digest of the body, which is then checked: `sha-256=:…:` (RFC 9530 §2).',
  ),
]
const reprDigest: HeaderParameter = [
  'ReprDigest',
  createHeaderParameter(
    'Repr-Digest',
    'The digest of the bytes, which is then checked: `sha-256=:…:` (RFC 9530 §3).',
  ),
]
