import { followReferences, isRecord } from './document-node.ts'
import type { PlannedRequest } from './plan/planned-request.ts'

/** The ids of the items that a body names, by the plural of their model. */
export type IdsByPlural = ReadonlyMap<string, ReadonlySet<string>>

/**
 * The ids in a JSON body: values whose schema relates to a collection, and those of
 * `{ "type": "books", "id": … }`. An equal text of another member is no id.
 */
export function idsInBody(
  document: unknown,
  { operation, headers, body }: Pick<PlannedRequest, 'operation' | 'headers' | 'body'>,
): IdsByPlural {
  const ids = new Map<string, Set<string>>()
  const schema = operation.body?.content.get(headers['content-type'] ?? '')?.value
  const value = schema === undefined || body === undefined ? undefined : parseJson(body)
  if (value !== undefined) collectIds(document, schema, value, ids)
  return ids
}

function collectIds(
  document: unknown,
  start: unknown,
  value: unknown,
  ids: Map<string, Set<string>>,
): void {
  const add = (plural: unknown, id: unknown): void => {
    if (typeof plural !== 'string' || typeof id !== 'string') return
    ids.set(plural, (ids.get(plural) ?? new Set()).add(id))
  }
  for (const schema of schemasOfValue(document, start)) {
    add(schema['x-resourcery-relates-to'] ?? schema['x-resourcery-removes'], value)
    if (Array.isArray(value)) {
      const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : []
      for (const [index, item] of value.entries())
        collectIds(document, first[index] ?? schema.items, item, ids)
    }
    if (!isRecord(value)) continue
    const properties = isRecord(schema.properties) ? schema.properties : {}
    const type = properties.type && resolved(document, properties.type)
    if (isRecord(type) && type.const === value.type) add(type.const, value.id)
    for (const [name, member] of Object.entries(value))
      collectIds(
        document,
        Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties,
        member,
        ids,
      )
  }
}

const applicators = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'] as const

/** The schemas that may apply to the same value, each once: they may refer to each other. */
function schemasOfValue(
  document: unknown,
  start: unknown,
): ReadonlySet<Readonly<Record<string, unknown>>> {
  const schemas = new Set<Readonly<Record<string, unknown>>>()
  const pending = [start]
  for (const next of pending) {
    const schema = resolved(document, next)
    if (!isRecord(schema) || schemas.has(schema)) continue
    schemas.add(schema)
    pending.push(...applicators.flatMap((keyword) => schema[keyword]))
  }
  return schemas
}

function resolved(document: unknown, value: unknown): unknown {
  return followReferences(document, { value, pointer: '' }).value
}

function parseJson(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}
