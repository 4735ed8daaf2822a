import { ApiError } from '../error/api-error.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { ReadResource, ResourceBytes } from '../model/items/items.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { ItemEnvironment } from './item-environment.ts'
import { bytesOf, resourceParams, uploadRequest } from './resource-request.ts'
import { runOperation } from './run-operation.ts'

const { createApiError } = refusalsOf(['not-found'])

/** A binary resource of an item, as code of the service names it. */
interface NamedResource {
  readonly environment: ItemEnvironment
  readonly model: ModelDescription
  readonly id: string
  readonly path: string
}

/** @throws ApiError */
export async function setResource(
  resource: NamedResource,
  content: ResourceBytes,
): Promise<BinaryResource> {
  const { environment, model, id, path } = resource
  const endpoint = environment.endpoints.resource(model, 'SetResource', path)
  await runOperation(environment, endpoint, uploadRequest(id, path, content))
  const written = await readResource(resource)
  if (!written) throw createApiError('not-found', `There is no '${path}' any more.`)
  await written.bytes[Symbol.asyncIterator]().return?.()
  const { bytes: _, ...metadata } = written
  return metadata
}

export async function readResource({
  environment,
  model,
  id,
  path,
}: NamedResource): Promise<ReadResource | undefined> {
  const endpoint = environment.endpoints.resource(model, 'GetResource', path)
  const params = resourceParams(id, path)
  const result = await runOperation(environment, endpoint, { params }).catch(undefinedIfMissing)
  if (result?.kind !== 'resource') return undefined
  const { contentType, size, hash, fileName } = result.resource
  return { contentType, size, hash, fileName, bytes: bytesOf(result) }
}

export async function deleteResource({
  environment,
  model,
  id,
  path,
}: NamedResource): Promise<void> {
  const endpoint = environment.endpoints.resource(model, 'DeleteResource', path)
  await runOperation(environment, endpoint, { params: resourceParams(id, path) })
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.problems.every(({ code }) => code === 'not-found'))
    return undefined
  throw error
}
