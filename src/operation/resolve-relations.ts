import { mostFaults, refuseAll } from '../error/api-error.ts'
import type { ErrorCode } from '../error/catalog.ts'
import { problem } from '../error/problem.ts'
import { shortened } from '../error/shortened.ts'
import { pointer } from '../http/json-pointer.ts'
import type { ModelDescription } from '../model/description.ts'
import type { Sent, SentRelation } from '../serializer/sent.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredValues } from '../store/stored-item.ts'
import type { BodyJob } from './job.ts'
import { type Related, relatedItems } from './related-items.ts'

/**
 * Looks up every item that the sent relations name. What the item related to already (`before`) is taken on trust, so that a
 * client can send back an item whose related ones it may not see.
 * @throws ApiError `related-not-found`, or what the rule says instead, for each that is missing, or hidden from the caller.
 */
export async function resolveRelations(
  reader: StoreReader,
  job: BodyJob,
  before: StoredValues | undefined,
): Promise<Related> {
  const wanted = new Map<ModelDescription, Map<string, Sent<string>>>()
  for (const field of job.view.model.owned) {
    for (const id of newIds(job.sent.relations.get(field.name), before?.[field.name])) {
      const ids = wanted.get(field.target) ?? new Map<string, Sent<string>>()
      wanted.set(field.target, ids.set(id.value, id))
    }
  }
  const related = await relatedItems(reader, job, new Map([...wanted].map(([target, ids]) => [target, ids.keys()])))
  refuseAll(
    [...wanted].flatMap(([target, ids]) =>
      [...ids.values()]
        .filter((id) => !related.get(target)!.has(id.value))
        .slice(0, mostFaults)
        .map((id) => missing(job.missingRelated, target, id)),
    ),
  )
  return related
}

function newIds(sent: SentRelation | undefined, before: unknown): readonly Sent<string>[] {
  const known: readonly unknown[] = Array.isArray(before) ? before : [before]
  if (sent?.kind === 'one') return known.includes(sent.id.value) ? [] : [sent.id]
  return sent?.kind === 'many' ? sent.ids.filter((id) => !known.includes(id.value)) : []
}

function missing(code: ErrorCode, target: ModelDescription, { value, steps }: Sent<string>) {
  return problem(code, `There is no ${target.name} with the id '${shortened(value, 128)}'.`, {
    pointer: pointer(steps),
  })
}
