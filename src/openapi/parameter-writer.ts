import { isSafe } from '../http/safe-method.ts'
import { toPascalCase } from '../model/naming.ts'
import type { ContentEncoding } from '../rule/contents.ts'
import type { DeclaredRequestHeader } from '../rule/declaration.ts'
import type { DocumentedParameter, QueryParameter } from '../rule/query-parameter.ts'
import { isModelRule, pathView, type Rule } from '../rule/rule.ts'
import type { ComponentRegistry } from './component-registry.ts'
import type { ParameterObject, Reference } from './document.ts'
import type { ItemSchemaMode } from './schema-names.ts'

type ParameterOrReference = ParameterObject | Reference

/** Writes the path, query and header parameters of operations; shared ones become components. */
export function createParameterWriter(
  components: ComponentRegistry,
  describe: ParameterDescriber,
): (rule: Rule) => readonly ParameterOrReference[] {
  const cache = new Map<DocumentedParameter, ParameterOrReference>()
  const queryParameter = (parameter: DocumentedParameter): ParameterOrReference => {
    const cached = cache.get(parameter) ?? createQueryParameter(parameter, components)
    cache.set(parameter, cached)
    return cached
  }
  const pathParameter = (name: string, rule: Rule): ParameterOrReference => {
    const model = name === 'id' && isModelRule(rule) ? pathView(rule).model : undefined
    if (model?.exampleId === undefined)
      return components.parameter(toPascalCase(name), createPathParameter(name))
    const parameter = { ...createPathParameter(name), example: model.exampleId }
    return components.parameter(toPascalCase(model.name) + toPascalCase(name), parameter)
  }
  return (rule) => [
    ...[...rule.path.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name, rule)),
    // QUERY has them in its body.
    ...(rule.request.kind === 'query' ? [] : rule.parameters.flatMap(describe).map(queryParameter)),
    ...headerParameters(rule).map(([name, parameter]) => components.parameter(name, parameter)),
  ]
}

/** The documented parameters of a query parameter. */
export type ParameterDescriber = (parameter: QueryParameter) => readonly DocumentedParameter[]

/** Describes each parameter once. Documents of complete items omit `fields`. */
export function createParameterDescriber(items: ItemSchemaMode): ParameterDescriber {
  const cache = new Map<QueryParameter, readonly DocumentedParameter[]>()
  return (parameter) => {
    if (items === 'complete' && parameter.baseNames.includes('fields')) return []
    const documented = cache.get(parameter) ?? parameter.describe()
    cache.set(parameter, documented)
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

/** The style of a parameter, or of a member of a form. */
type ParameterStyle = Pick<ContentEncoding, 'style' | 'explode'>

/** How OpenAPI calls the styles of parameters. */
export const stylesByKind: Readonly<Record<DocumentedParameter['style'], ParameterStyle>> = {
  plain: {},
  commaSeparated: { style: 'form', explode: false },
  deepObject: { style: 'deepObject', explode: true },
}

function createQueryParameter(
  {
    name,
    description,
    isDeprecated,
    isRequired,
    schema,
    example,
    style,
    componentName,
  }: DocumentedParameter,
  components: ComponentRegistry,
): ParameterObject | Reference {
  return components.parameter(componentName, {
    name,
    in: 'query',
    description,
    ...(isRequired && { required: true }),
    ...(isDeprecated && { deprecated: isDeprecated }),
    ...stylesByKind[style],
    // Documentation pages show only the description of the schema for object parameters.
    schema: components.schema(
      style === 'deepObject' && !schema.component ? { ...schema, description } : schema,
    ),
    ...(example !== undefined && { example }),
  })
}

type HeaderParameter = readonly [name: string, parameter: ParameterObject]

/** The names of the request headers that a rule documents, in the usual capitalization. */
export function requestHeaderNames(rule: Rule): readonly string[] {
  return headerParameters(rule).map(([, { name }]) => name)
}

function headerParameters(rule: Rule): readonly HeaderParameter[] {
  const declared = rule.declarations.flatMap(({ requestHeaders = [] }) => requestHeaders)
  return [...ownHeaderParameters(rule), ...declared.map(declaredParameter)]
}

function declaredParameter({
  componentName,
  name,
  description,
  isRequired,
  schema,
}: DeclaredRequestHeader): HeaderParameter {
  return [componentName, { ...createHeaderParameter(name, description, isRequired), schema }]
}

/** The headers of conditional requests, byte ranges and digests. */
function ownHeaderParameters(rule: Rule): readonly HeaderParameter[] {
  const { request, response, errorResponses } = rule
  if (isSafe(rule))
    return [
      ...(response.headers.etag ? [ifNoneMatch] : []),
      ...(response.content === 'resource' ? rangeHeaders : []),
    ]
  const others = [
    ...(request.kind === 'bytes' ? [contentDigest, reprDigest] : []),
    ...preferHeader(rule),
  ]
  if (!errorResponses.some(({ code }) => code === 'precondition-failed')) return others
  const isRequired = errorResponses.some(({ code }) => code === 'precondition-required')
  return [isRequired ? requiredIfMatch : ifMatch, writeIfNoneMatch, ...others]
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
  'The ETag of the item that the client knows; if the item has changed since, the request fails (412). `*` matches any version.'

const ifNoneMatch: HeaderParameter = [
  'IfNoneMatch',
  createHeaderParameter(
    'If-None-Match',
    'ETags that the client has; if one is current, the response is 304 without a body.',
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
    'ETags that must not match the current version, or `*` if the item must not exist; else 412.',
  ),
]
const rangeHeaders: readonly HeaderParameter[] = [
  [
    'Range',
    createHeaderParameter(
      'Range',
      'The byte range to send, such as `bytes=0-1023` (RFC 9110 §14.2).',
    ),
  ],
  [
    'IfRange',
    createHeaderParameter(
      'If-Range',
      'Sends the byte range only if this ETag still matches, else everything (RFC 9110 §13.1.5).',
    ),
  ],
  [
    'WantReprDigest',
    createHeaderParameter('Want-Repr-Digest', 'Requests a digest: `sha-256=1` (RFC 9530 §4).'),
  ],
]

const linePreferences =
  'For bodies with several items (RFC 7240): `handling=strict` creates all of them or none, `resolution=merge-duplicates` changes items that exist, `tx=rollback` undoes everything, and `return=minimal` omits lines without errors.'

const prefer: HeaderParameter = ['Prefer', createHeaderParameter('Prefer', linePreferences)]
const preferRespondAsync: HeaderParameter = [
  'PreferRespondAsync',
  createHeaderParameter(
    'Prefer',
    '`respond-async`: the response is a job, which carries out the request (RFC 7240 §4.1).',
  ),
]
const preferRespondAsyncForLines: HeaderParameter = [
  'PreferRespondAsyncForLines',
  createHeaderParameter(
    'Prefer',
    `${linePreferences} With \`respond-async\`, the response is a job, which creates them.`,
  ),
]

function preferHeader({ request, isDeferrable }: RuleWithPreferences): readonly HeaderParameter[] {
  if (request.kind === 'item' && request.lines)
    return [isDeferrable ? preferRespondAsyncForLines : prefer]
  return isDeferrable ? [preferRespondAsync] : []
}

type RuleWithPreferences = Pick<Rule, 'request' | 'isDeferrable'>

const contentDigest: HeaderParameter = [
  'ContentDigest',
  createHeaderParameter(
    'Content-Digest',
    'The digest of the body; the service verifies it: `sha-256=:…:` (RFC 9530 §2).',
  ),
]
const reprDigest: HeaderParameter = [
  'ReprDigest',
  createHeaderParameter(
    'Repr-Digest',
    'The digest of the uploaded bytes; the service verifies it: `sha-256=:…:` (RFC 9530 §3).',
  ),
]
