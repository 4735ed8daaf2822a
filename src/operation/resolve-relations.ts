import { ApiError, mostFaults, refuseAll } from '../error/api-error.ts'
import type { ErrorCode } from '../error/catalog.ts'
import { type Problem, problem } from '../error/problem.ts'
import { shortened } from '../error/shortened.ts'
import { pointer } from '../http/json-pointer.ts'
import type { ModelDescription } from '../model/description.ts'
import type { Sent, SentRelation } from '../serializer/sent.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredValues } from '../store/stored-item.ts'
import type { BodyJob } from './job.ts'
import { type Related, relatedItems } from './related-items.ts'

/**
 * Looks up every item that the sent relations name.
 * @param before what the item related to already, as far as the caller may see it: it is taken on trust
 * @throws ApiError `related-not-found`, or what the rule says instead, for each that is missing, or hidden from the caller.
 */
export async function resolveRelations(
  reader: StoreReader,
  job: BodyJob,
  before: StoredValues | undefined,
): Promise<Related> {
  const wanted = wantedBy(job, before)
  const related = await lookedUp(reader, job, wanted)
  refuseAll(missingOf(job, wanted, related))
  return related
}

/**
 * Refuses what `error` says of values that do not fit, together with relations that lead nowhere: a client hears of all its faults at once.
 * @throws ApiError with all of them, or what else the error was
 */
export async function refuseWithMissing(
  reader: StoreReader,
  job: BodyJob,
  before: StoredValues | undefined,
  error: unknown,
): Promise<never> {
  if (!(error instanceof ApiError)) throw error
  const wanted = wantedBy(job, before)
  refuseAll([...error.problems, ...missingOf(job, wanted, await lookedUp(reader, job, wanted))], error.untold)
  throw error
}

type WantedIds = ReadonlyMap<ModelDescription, readonly Sent<string>[]>

function wantedBy({ view, sent }: BodyJob, before: StoredValues | undefined): WantedIds {
  const wanted = new Map<ModelDescription, readonly Sent<string>[]>()
  for (const field of view.model.owned) {
    const ids = newIds(sent.relations.get(field.name), before?.[field.name])
    if (ids.length > 0) wanted.set(field.target, [...(wanted.get(field.target) ?? []), ...ids])
  }
  return wanted
}

function lookedUp(reader: StoreReader, job: BodyJob, wanted: WantedIds): Promise<Related> {
  const ids = [...wanted].map(([target, sent]) => [target, new Set(sent.map((id) => id.value))] as const)
  return relatedItems(reader, job, new Map(ids))
}

function missingOf({ missingRelated }: BodyJob, wanted: WantedIds, related: Related): readonly Problem[] {
  return [...wanted].flatMap(([target, ids]) =>
    ids
      .filter((id) => !related.get(target)!.has(id.value))
      .slice(0, mostFaults)
      .map((id) => missing(missingRelated, target, id)),
  )
}

function newIds(sent: SentRelation | undefined, before: unknown): readonly Sent<string>[] {
  const known = new Set([before].flat())
  if (sent?.kind === 'one') return known.has(sent.id.value) ? [] : [sent.id]
  return sent?.kind === 'many' ? sent.ids.filter((id) => !known.has(id.value)) : []
}

function missing(code: ErrorCode, target: ModelDescription, { value, steps }: Sent<string>): Problem {
  return problem(code, `There is no ${target.name} with the id '${shortened(value, 128)}'.`, {
    pointer: pointer(steps),
  })
}
