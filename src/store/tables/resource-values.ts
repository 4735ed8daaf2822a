import type { NestedResources } from '../../model/model-description.ts'
import { type BinaryResource, StoredResource } from '../../model/stored-resource.ts'
import type { ColumnField } from './relational-layout.ts'

/** What a JSON column keeps of a resource. */
interface ResourceJson extends BinaryResource {
  readonly blobKey: string
}

/** The value of a field with its resources as JSON. */
export function writeResources(field: ColumnField, value: unknown): unknown {
  const nested = resourcesOf(field)
  return nested ? mapResources(nested, value, resourceToJson) : value
}

/** The value of a field, of the JSON that `writeResources` made. */
export function readResources(field: ColumnField, json: unknown): unknown {
  const nested = resourcesOf(field)
  return nested ? mapResources(nested, json, resourceOfJson) : json
}

function resourcesOf(field: ColumnField): NestedResources | undefined {
  if (field.kind === 'resource') return { kind: 'resource', field }
  return field.kind === 'value' ? field.nestedResources : undefined
}

function mapResources(
  nested: NestedResources,
  value: unknown,
  map: (resource: unknown) => unknown,
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (nested.kind === 'resource') return map(value)
  if (nested.kind === 'list')
    return Array.isArray(value) ? value.map((item) => mapResources(nested.items, item, map)) : value
  const members = Object.entries(value).map(([name, member]) => {
    const nestedInMember = nested.members.get(name)
    return [name, nestedInMember ? mapResources(nestedInMember, member, map) : member]
  })
  return Object.fromEntries(members)
}

function resourceToJson(resource: unknown): unknown {
  if (!(resource instanceof StoredResource)) return resource
  const { contentType, size, hash, fileName } = resource
  const blobKey = StoredResource.blobKeyOf(resource)
  return { contentType, size, hash, fileName, blobKey } satisfies ResourceJson
}

/** JSON that another program wrote may be something else, which no client gets. */
function resourceOfJson(json: unknown): unknown {
  const { blobKey, ...resource } = json as ResourceJson
  return typeof blobKey === 'string' ? new StoredResource(resource, blobKey) : null
}
