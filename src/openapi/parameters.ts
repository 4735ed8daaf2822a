import { pascalOf } from '../model/naming.ts'
import type { DocumentedParameter, Parameter } from '../rule/parameter.ts'
import type { Rule } from '../rule/rule.ts'
import type { Shelf } from './components.ts'
import type { ParameterObject, Reference } from './document.ts'
import type { Items } from './schema-names.ts'

type WrittenParameter = ParameterObject | Reference

/**
 * All that operations can be asked beside their bodies: in the path, the query string and the headers. What operations share is written once.
 */
export function parameterWriter(shelf: Shelf, documented: Documented): (rule: Rule) => readonly WrittenParameter[] {
  const known = new Map<DocumentedParameter, WrittenParameter>()
  const ofQuery = (parameter: DocumentedParameter): WrittenParameter => {
    const written = known.get(parameter) ?? queryParameter(parameter, shelf)
    known.set(parameter, written)
    return written
  }
  const ofPath = (name: string, rule: Rule): WrittenParameter => {
    const model = name === 'id' && rule.operation !== 'Batch' ? (rule.through?.view ?? rule.view).model : undefined
    if (model?.exampleId === undefined) return shelf.parameter(pascalOf(name), pathParameter(name))
    const parameter = { ...pathParameter(name), example: model.exampleId }
    return shelf.parameter(pascalOf(model.name) + pascalOf(name), parameter)
  }
  return (rule) => [
    ...[...rule.path.matchAll(/:(\w+)/g)].map(([, name = '']) => ofPath(name, rule)),
    ...rule.parameters.flatMap(documented).map(ofQuery),
    ...conditions(rule).map(([name, parameter]) => shelf.parameter(name, parameter)),
  ]
}

/** What a parameter documents. */
export type Documented = (parameter: Parameter) => readonly DocumentedParameter[]

/** Asks each parameter once. Where items are described whole, clients cannot choose their members. */
export function documenting(items: Items): Documented {
  const known = new Map<Parameter, readonly DocumentedParameter[]>()
  return (parameter) => {
    if (items === 'whole' && parameter.families.includes('fields')) return []
    const documented = known.get(parameter) ?? parameter.documented()
    known.set(parameter, documented)
    return documented
  }
}

function pathParameter(name: string): ParameterObject {
  return {
    name,
    in: 'path',
    description: `The \`${name}\` path segment`,
    required: true,
    schema: { type: 'string' },
  }
}

const styles = {
  plain: {},
  commas: { style: 'form', explode: false },
  members: { style: 'deepObject', explode: true },
} as const satisfies Record<DocumentedParameter['written'], object>

function queryParameter(
  { name, description, deprecated, schema, example, written, shared }: DocumentedParameter,
  shelf: Shelf,
): ParameterObject | Reference {
  return shelf.parameter(shared, {
    name,
    in: 'query',
    description,
    ...(deprecated && { deprecated }),
    ...styles[written],
    // Of a parameter that is an object, documentation pages show what its schema says alone.
    schema: shelf.schema(written === 'members' && !schema.component ? { ...schema, description } : schema),
    ...(example !== undefined && { example }),
  })
}

type Condition = readonly [name: string, parameter: ParameterObject]

/** Conditional requests, parts, and digests: reads by the version that the client has, writes by the version it wants to change. */
function conditions(rule: Rule): readonly Condition[] {
  const { method, request, response, errorResponses } = rule
  if (method === 'GET')
    return [...(response.headers.etag ? [ifNoneMatch] : []), ...(response.content === 'resource' ? ofBytes : [])]
  const digests = request.kind === 'bytes' ? [contentDigest, reprDigest] : []
  if (!errorResponses.some(({ code }) => code === 'precondition-failed')) return digests
  const isRequired = errorResponses.some(({ code }) => code === 'precondition-required')
  return [isRequired ? requiredIfMatch : ifMatch, unlessMatch, ...digests]
}

function header(name: string, description: string, required = false): ParameterObject {
  return { name, in: 'header', description, ...(required && { required }), schema: { type: 'string' } }
}

const ifMatchText =
  'The ETag of the item as it is known to the client: if it has changed, nothing is done (412). `*` stands for any version.'

const ifNoneMatch: Condition = [
  'IfNoneMatch',
  header('If-None-Match', 'ETags that the client has: where one is current, the answer is 304 without a body.'),
]
const ifMatch: Condition = ['IfMatch', header('If-Match', ifMatchText)]
const requiredIfMatch: Condition = ['RequiredIfMatch', { ...header('If-Match', ifMatchText, true), example: '*' }]
const unlessMatch: Condition = [
  'UnlessMatch',
  header('If-None-Match', 'ETags that must not be current, or `*` for an item that must not be there; else 412.'),
]
const ofBytes: readonly Condition[] = [
  ['Range', header('Range', 'The part that is wanted, such as `bytes=0-1023` (RFC 9110 §14.2).')],
  ['IfRange', header('If-Range', 'The ETag that the part has to be of: else all is sent (RFC 9110 §13.1.5).')],
  ['WantReprDigest', header('Want-Repr-Digest', 'Asks for a digest: `sha-256=1` (RFC 9530 §4).')],
]
const contentDigest: Condition = [
  'ContentDigest',
  header('Content-Digest', 'The digest of the body, which is then checked: `sha-256=:…:` (RFC 9530 §2).'),
]
const reprDigest: Condition = [
  'ReprDigest',
  header('Repr-Digest', 'The digest of the bytes, which is then checked: `sha-256=:…:` (RFC 9530 §3).'),
]
