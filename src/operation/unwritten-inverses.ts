import { type Problem, problem } from '../error/problem.ts'
import { pointer } from '../http/json-pointer.ts'
import type { InverseField } from '../model/description.ts'
import { both, hasAnyId, relatesTo } from '../query/conditions.ts'
import type { SentRelation } from '../serializer/sent.ts'
import type { StoreReader } from '../store/store.ts'
import { batchSize } from './fetch-by-ids.ts'
import type { BodyJob } from './job.ts'

/**
 * What is wrong with inverse relations that were sent where they cannot be written: only what is there, as far as the caller may see it, can be
 * sent back, in any order. To pass over anything else would lose it without a word.
 * @param ownerId undefined for a new item, which nothing relates to yet
 */
export async function unwrittenInverses(
  reader: StoreReader,
  job: BodyJob,
  ownerId: string | undefined,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const relation of job.view.model.relations) {
    const sent = relation.kind === 'inverse' && job.sent.unwritten?.get(relation.name)
    if (sent && !(await isThere(reader, job, ownerId, relation, sent))) problems.push(notWritten(relation, sent))
  }
  return problems
}

async function isThere(
  reader: StoreReader,
  { guards, context }: BodyJob,
  ownerId: string | undefined,
  { target, of }: InverseField,
  sent: SentRelation,
): Promise<boolean> {
  const ids = sent.kind === 'many' ? sent.ids.map((id) => id.value) : []
  if (ownerId === undefined) return ids.length === 0
  const related = both(relatesTo(of.name, of.kind, [ownerId]), guards.condition(target, context))
  if ((await reader.count(target, related)) !== ids.length) return false
  for (let start = 0; start < ids.length; start += batchSize) {
    const some = ids.slice(start, start + batchSize)
    if ((await reader.count(target, both(hasAnyId(some), related))) !== some.length) return false
  }
  return true
}

function notWritten({ wire, target, of }: InverseField, sent: SentRelation): Problem {
  const steps = sent.kind === 'one' ? sent.id.steps : sent.steps
  return problem(
    'invalid-member',
    `'${wire}' can only be sent back as it is, or left out: it is written from the other side, as '${of.wire}' of the ${target.plural}.`,
    { pointer: pointer(steps) },
  )
}
