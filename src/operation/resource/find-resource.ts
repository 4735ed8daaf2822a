import type { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import type { StoredResource } from '../../model/stored-resource.ts'
import { indexParameterName } from '../../rule/index-parameter-name.ts'
import { type ResourceAccessor, resourceAccessor } from '../../stored-item/item-resources.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { OperationInput, ResourceOperationInput } from '../operation-input.ts'

export const findResourceErrors = ['not-found'] as const

const { createApiError } = refusalsOf(findResourceErrors)

/** A resource of an item, with its path as clients write it: `editions/0/scan`. */
export interface NamedResourceAccessor extends ResourceAccessor {
  readonly name: string
}

/**
 * The resource that the path names, in the values of its item.
 * @throws ApiError `not-found` if the item has no such path
 */
export function findResourceAccessor(
  input: ResourceOperationInput,
  values: StoredValues,
): NamedResourceAccessor {
  const indexes = pathIndexes(input)
  const accessor = resourceAccessor(values, input.resourceTarget.path, indexes)
  const name = resourceName(input, indexes)
  if (accessor) return { ...accessor, name }
  throw resourceNotFound(input, name)
}

/** @throws ApiError `not-found` if there is no resource at the path */
export function requireResource(
  input: ResourceOperationInput,
  { resource, name }: NamedResourceAccessor,
): StoredResource {
  if (resource) return resource
  throw resourceNotFound(input, name)
}

function pathIndexes({
  resourceTarget: { path },
  context: { params },
}: ResourceOperationInput): readonly string[] {
  return path.segments
    .filter((step) => step === '*')
    .map((_, index) => params[indexParameterName(index)] ?? '')
}

function resourceName(
  { resourceTarget: { path } }: ResourceOperationInput,
  indexes: readonly string[],
): string {
  let listIndex = 0
  return path.segments
    .map((step) => (step === '*' ? truncate(indexes[listIndex++]!) : step))
    .join('/')
}

function resourceNotFound({ view, context }: OperationInput, name: string): ApiError {
  return createApiError(
    'not-found',
    `The ${view.model.name} '${truncate(context.id!, 128)}' has no '${name}'.`,
  )
}
