import { type BinaryResource, StoredResource } from '../../model/stored-resource.ts'
import { mapFieldResources } from '../../stored-item/map-resources.ts'
import type { ColumnField } from './relational-layout.ts'

/** What a JSON column keeps of a resource. */
interface ResourceJson extends BinaryResource {
  readonly blobKey: string
}

/** The value of a field with its resources as JSON. */
export function writeResources(field: ColumnField, value: unknown): unknown {
  return mapFieldResources(field, value, resourceToJson)
}

/** The value of a field, of the JSON that `writeResources` made. */
export function readResources(field: ColumnField, json: unknown): unknown {
  return mapFieldResources(field, json, resourceOfJson)
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

/** The keys of all resources in JSON of a column, whatever the model says of its value. */
export function blobKeysInJson(json: unknown): readonly string[] {
  if (typeof json !== 'object' || json === null) return []
  const { blobKey } = json as Partial<ResourceJson>
  const nested = Object.values(json).flatMap(blobKeysInJson)
  return typeof blobKey === 'string' ? [blobKey, ...nested] : nested
}
