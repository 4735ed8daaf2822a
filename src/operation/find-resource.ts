import { type ApiError, refusal, refuse } from '../error/api-error.ts'
import { shortened } from '../error/shortened.ts'
import { refusingHeader } from '../http/precondition.ts'
import type { StoredResource } from '../model/stored-resource.ts'
import { indexName } from '../rule/index-name.ts'
import { type ResourceRoom, roomIn } from '../store/resource-room.ts'
import type { StoredValues } from '../store/stored-item.ts'
import type { Job, ResourceJob, WriteJob } from './job.ts'

/** A place of an item, with its name as clients write it: `editions/0/scan`. */
export interface Room extends ResourceRoom {
  readonly name: string
}

/**
 * The place that the path names, in the values of its item.
 * @throws ApiError `not-found` where the item has no such place.
 */
export function findRoom(job: Job & ResourceJob, values: StoredValues): Room {
  const indexes = indexesOf(job)
  const room = roomIn(values, job.resource.slot, indexes)
  const name = nameOf(job, indexes)
  if (room) return { ...room, name }
  throw missing(job, name)
}

/** @throws ApiError `not-found` where the place is empty. */
export function filled(job: Job & ResourceJob, { resource, name }: Room): StoredResource {
  if (resource) return resource
  throw missing(job, name)
}

/**
 * Holds the request's preconditions against the resource, whose tag is its hash (RFC 9110 §13.2.2).
 * @throws ApiError `precondition-failed`, or `precondition-required` where `If-Match` is wanted to replace or clear one.
 */
export function refuseStaleResource({ precondition, requireMatch }: WriteJob, { resource, name }: Room): void {
  if (resource && requireMatch && (precondition.kind === 'none' || precondition.kind === 'ifNoneMatch')) {
    throw refuse('precondition-required', `Send If-Match with the ETag of '${name}' as you know it.`, {
      header: 'If-Match',
    })
  }
  const matches = ({ value, weak }: { value: string; weak: boolean }) => !weak && value === resource?.hash
  const header = refusingHeader(precondition, { exists: resource !== null, matches })
  if (header === undefined) return
  const stale = resource
    ? `'${name}' is no longer the one that the tag names; fetch it again.`
    : `There is no '${name}' yet.`
  const detail = header === 'If-None-Match' ? `'${name}' is there already, as If-None-Match names it.` : stale
  throw refuse('precondition-failed', detail, { header })
}

function indexesOf({ resource: { slot }, context: { params } }: Job & ResourceJob): readonly string[] {
  return slot.way.filter((step) => step === '*').map((_, list) => params[indexName(list)] ?? '')
}

function nameOf({ resource: { slot } }: ResourceJob, indexes: readonly string[]): string {
  let lists = 0
  return slot.way.map((step) => (step === '*' ? shortened(indexes[lists++]!) : step)).join('/')
}

function missing({ view, context }: Job, name: string): ApiError {
  return refusal('not-found', `The ${view.model.name} '${shortened(context.id!, 128)}' has no '${name}'.`)
}
