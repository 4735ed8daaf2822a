import { refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { pointer } from '../http/json-pointer.ts'
import type { InverseField } from '../model/description.ts'
import { both, hasId, relatesTo } from '../query/conditions.ts'
import { everything } from '../query/query-plan.ts'
import type { Sent, SentRelation } from '../serializer/sent.ts'
import { storedValues } from '../store/item-text.ts'
import type { StoreTransaction } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { fetchByIds } from './fetch-by-ids.ts'
import type { BodyJob, Job } from './job.ts'
import { changeItem } from './write-item.ts'

/** Writes the inverse relations that were sent with an item: on the other side, which holds them. */
export async function writeInverses(
  transaction: StoreTransaction,
  job: BodyJob,
  written: StoredItem,
): Promise<StoredItem> {
  let isOwn = false
  for (const relation of job.view.model.relations) {
    const sent = relation.kind === 'inverse' ? job.sent.relations.get(relation.name) : undefined
    if (relation.kind !== 'inverse' || !sent) continue
    await changeInverse(transaction, job, written.id, relation, sent, 'replace')
    isOwn ||= relation.target === job.view.model
  }
  // Among those that were changed may be the item itself.
  return (isOwn && (await transaction.find(job.view.model, hasId(written.id)))) || written
}

/** The items that an inverse relation holds, of those that the caller may see, in the order of ids. */
export async function linkedTo(
  transaction: StoreTransaction,
  { guards, context }: Job,
  { target, of }: InverseField,
  ownerId: string,
): Promise<readonly StoredItem[]> {
  const condition = both(relatesTo(of.name, of.kind, [ownerId]), guards.condition(target, context))
  const items: StoredItem[] = []
  for await (const batch of transaction.list(target, { ...everything, condition })) items.push(...batch)
  return items
}

/**
 * Changes what an inverse relation holds, by changing the items that hold the other side.
 * @throws ApiError for each identifier that leads nowhere, that the caller may not change, or whose other side requires a value.
 */
export async function changeInverse(
  transaction: StoreTransaction,
  job: BodyJob,
  ownerId: string,
  relation: InverseField,
  sent: SentRelation,
  change: 'add' | 'replace' | 'remove',
): Promise<void> {
  const { target, of } = relation
  const ids = new Map((sent.kind === 'many' ? sent.ids : []).map((id) => [id.value, id]))
  const held = new Map((await linkedTo(transaction, job, relation, ownerId)).map((item) => [item.id, item]))
  const added = change === 'remove' ? [] : [...ids.values()].filter((id) => !held.has(id.value))
  const leaving = [...held.values()].filter((item) => change !== 'add' && ids.has(item.id) === (change === 'remove'))
  // Before anything is said of them, as where they are asked for themselves. The owner is what the request is about already.
  const changing = [...added.map((id) => id.value), ...leaving.map((item) => item.id)]
  job.permits.check({ model: target, ids: of.target === target ? changing.filter((id) => id !== ownerId) : changing })
  const problems: Problem[] = []
  if (leaving.length > 0 && of.kind === 'toOne' && !of.optional) problems.push(required(relation, sent))
  const found = await findAll(transaction, job, relation, added, problems)
  const changed = [...found, ...leaving]
  problems.push(...(await unwritable(transaction, job, relation, changed, ids, sent)))
  refuseAll(problems)
  for (const item of changed) {
    const values = storedValues(target, item)
    const isLeaving = held.has(item.id)
    await changeItem(transaction, target, item, { ...values, [of.name]: linked(values[of.name], ownerId, isLeaving) })
  }
}

/** What the other side holds once the owner is added to it, or gone from it. */
function linked(before: unknown, ownerId: string, isLeaving: boolean): unknown {
  if (!Array.isArray(before)) return isLeaving ? null : ownerId
  return isLeaving ? before.filter((id) => id !== ownerId) : [...before, ownerId]
}

async function findAll(
  transaction: StoreTransaction,
  { guards, context, missingRelated }: BodyJob,
  { target }: InverseField,
  wanted: readonly Sent<string>[],
  problems: Problem[],
): Promise<readonly StoredItem[]> {
  const found = new Map<string, StoredItem>()
  const ids = wanted.map((id) => id.value)
  for await (const batch of fetchByIds(transaction, target, ids, guards.condition(target, context)))
    for (const item of batch) found.set(item.id, item)
  for (const { value, steps } of wanted) {
    const detail = `There is no ${target.name} with the id '${value.slice(0, 128)}'.`
    if (!found.has(value)) problems.push(problem(missingRelated, detail, { pointer: pointer(steps) }))
  }
  return [...found.values()]
}

/** A write to the other side is one of its own model's updates. */
async function unwritable(
  transaction: StoreTransaction,
  { guards, context }: BodyJob,
  { target }: InverseField,
  items: readonly StoredItem[],
  sent: ReadonlyMap<string, Sent<string>>,
  relation: SentRelation,
): Promise<readonly Problem[]> {
  const ids = items.map((item) => item.id)
  const writable = new Set<string>()
  for await (const batch of fetchByIds(transaction, target, ids, guards.writeCondition(target, context)))
    for (const item of batch) writable.add(item.id)
  return ids
    .filter((id) => !writable.has(id))
    .map((id) => {
      const steps = sent.get(id)?.steps ?? (relation.kind === 'one' ? relation.id.steps : relation.steps)
      return problem('forbidden', `The ${target.name} '${id}' may not be changed here.`, { pointer: pointer(steps) })
    })
}

function required({ wire, target, of }: InverseField, sent: SentRelation): Problem {
  const detail = `A ${target.name} requires '${of.wire}', so none can be taken out of '${wire}'; give it another, or delete it.`
  return problem('conflict', detail, {
    pointer: pointer(sent.kind === 'one' ? sent.id.steps : sent.steps),
  })
}
