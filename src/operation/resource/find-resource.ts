import { type ApiError, createApiError, refuse } from '../../error/api-error.ts'
import { truncate } from '../../error/truncate.ts'
import { failedPreconditionHeader } from '../../http/headers/precondition.ts'
import type { StoredResource } from '../../model/stored-resource.ts'
import { indexParameterName } from '../../rule/index-parameter-name.ts'
import { type ResourceAccessor, resourceAccessor } from '../../stored-item/resource-accessor.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type {
  OperationInput,
  ResourceOperationInput,
  WriteOperationInput,
} from '../operation-input.ts'

/** A place of an item, with its name as clients write it: `editions/0/scan`. */
export interface NamedResourceAccessor extends ResourceAccessor {
  readonly name: string
}

/**
 * The place that the path names, in the values of its item.
 * @throws ApiError `not-found` where the item has no such place.
 */
export function findResourceAccessor(
  job: OperationInput & ResourceOperationInput,
  values: StoredValues,
): NamedResourceAccessor {
  const indexes = pathIndexes(job)
  const room = resourceAccessor(values, job.resourceTarget.path, indexes)
  const name = resourceName(job, indexes)
  if (room) return { ...room, name }
  throw resourceNotFound(job, name)
}

/** @throws ApiError `not-found` where the place is empty. */
export function requireResource(
  job: OperationInput & ResourceOperationInput,
  { resource, name }: NamedResourceAccessor,
): StoredResource {
  if (resource) return resource
  throw resourceNotFound(job, name)
}

/**
 * Holds the request's preconditions against the resource, whose tag is its hash (RFC 9110 §13.2.2).
 * @throws ApiError `precondition-failed`, or `precondition-required` where `If-Match` is wanted to
 * replace or clear one.
 */
export function checkResourcePreconditions(
  { precondition, requireMatch }: WriteOperationInput,
  { resource, name }: NamedResourceAccessor,
): void {
  if (
    resource &&
    requireMatch &&
    (precondition.kind === 'none' || precondition.kind === 'ifNoneMatch')
  ) {
    throw refuse(
      'precondition-required',
      `Send If-Match with the ETag of '${name}' as you know it.`,
      {
        header: 'If-Match',
      },
    )
  }
  const matches = ({ value, isWeak }: { value: string; isWeak: boolean }) =>
    !isWeak && value === resource?.hash
  const header = failedPreconditionHeader(precondition, { exists: resource !== null, matches })
  if (header === undefined) return
  const stale = resource
    ? `'${name}' is no longer the one that the tag names; fetch it again.`
    : `There is no '${name}' yet.`
  const detail =
    header === 'If-None-Match' ? `'${name}' is there already, as If-None-Match names it.` : stale
  throw refuse('precondition-failed', detail, { header })
}

function pathIndexes({
  resourceTarget: { path },
  context: { params },
}: OperationInput & ResourceOperationInput): readonly string[] {
  return path.segments
    .filter((step) => step === '*')
    .map((_, list) => params[indexParameterName(list)] ?? '')
}

function resourceName(
  { resourceTarget: { path } }: ResourceOperationInput,
  indexes: readonly string[],
): string {
  let lists = 0
  return path.segments.map((step) => (step === '*' ? truncate(indexes[lists++]!) : step)).join('/')
}

function resourceNotFound({ view, context }: OperationInput, name: string): ApiError {
  return createApiError(
    'not-found',
    `The ${view.model.name} '${truncate(context.id!, 128)}' has no '${name}'.`,
  )
}
