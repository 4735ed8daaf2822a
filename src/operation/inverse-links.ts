import { hasEnough, refuse, refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { shortened } from '../error/shortened.ts'
import { pointer } from '../http/json-pointer.ts'
import type { InverseField } from '../model/description.ts'
import { always, both, hasId, relatesTo } from '../query/conditions.ts'
import { everything } from '../query/query-plan.ts'
import type { Sent, SentRelation } from '../serializer/sent.ts'
import { storedValues } from '../store/item-text.ts'
import type { StoreTransaction } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { fetchByIds } from './fetch-by-ids.ts'
import type { BodyJob, Job } from './job.ts'
import { notReplaced } from './refuse-replacement.ts'
import { changeGuarded } from './write-item.ts'

/** What becomes of the identifiers that a relation holds. */
export type LinkageChange = 'add' | 'replace' | 'remove'

/** An item whose inverse relations were written, and those of them that now hold something else. */
export interface WithInverses {
  readonly item: StoredItem
  readonly changed: readonly InverseField[]
}

/**
 * Writes the inverse relations that were sent with an item: on the other side, which holds them.
 * @param change to a new item, which nothing relates to yet, all is added
 */
export async function writeInverses(
  transaction: StoreTransaction,
  job: BodyJob,
  written: StoredItem,
  change: Exclude<LinkageChange, 'remove'>,
): Promise<WithInverses> {
  const changed: InverseField[] = []
  for (const relation of job.view.model.relations) {
    const sent = relation.kind === 'inverse' ? job.sent.relations.get(relation.name) : undefined
    if (relation.kind !== 'inverse' || !sent) continue
    if (await changeInverse(transaction, job, written.id, relation, sent, change)) changed.push(relation)
  }
  // Among those that were changed may be the item itself.
  const isOwn = changed.some(({ target }) => target === job.view.model)
  const item = (isOwn && (await transaction.find(job.view.model, hasId(written.id)))) || written
  return { item, changed }
}

/** The items that an inverse relation holds, of those that the caller may see, in the order of ids and in batches. */
export function linkedTo(
  transaction: StoreTransaction,
  { guards, context }: Job,
  { target, of }: InverseField,
  ownerId: string,
): AsyncIterable<readonly StoredItem[]> {
  const condition = both(relatesTo(of.name, of.kind, [ownerId]), guards.condition(target, context))
  return transaction.list(target, { ...everything, condition })
}

/**
 * Changes what an inverse relation holds, by changing the items that hold the other side.
 * @returns whether it holds something else now
 * @throws ApiError for each identifier that leads nowhere, that the caller may not change, or whose other side requires a value.
 */
export async function changeInverse(
  transaction: StoreTransaction,
  job: BodyJob,
  ownerId: string,
  relation: InverseField,
  sent: SentRelation,
  change: LinkageChange,
): Promise<boolean> {
  const { target, of } = relation
  const ids = new Map((sent.kind === 'many' ? sent.ids : []).map((id) => [id.value, id]))
  const { staying, leaving } = await linkedNow(transaction, job, ownerId, relation, ids, change)
  const added = change === 'remove' ? [] : [...ids.values()].filter((id) => !staying.has(id.value))
  // Before anything is said of them, as where they are asked for themselves. The owner is what the request is about already.
  const changing = [...added.map((id) => id.value), ...leaving]
  job.permits.check({ model: target, ids: of.target === target ? changing.filter((id) => id !== ownerId) : changing })
  if (changing.length > 0) refuseUnmatched(job, relation)
  const problems: Problem[] = []
  if (change === 'replace' && !relation.replaceable && changing.length > 0) problems.push(notReplaced(relation, sent))
  if (leaving.length > 0 && of.kind === 'toOne' && !of.optional) problems.push(required(relation, sent))
  const joining = await findAll(transaction, job, relation, added, problems)
  await refuseUnwritable(transaction, job, relation, [...joining, ...leaving], ids, sent, problems)
  refuseAll(problems)
  await link(transaction, job, relation, ownerId, joining, false)
  await link(transaction, job, relation, ownerId, leaving, true)
  return changing.length > 0
}

/** Writes the other side of so many items: they are read again, for there may be more than anybody should hold. */
async function link(
  transaction: StoreTransaction,
  job: BodyJob,
  { target, of }: InverseField,
  ownerId: string,
  ids: readonly string[],
  isLeaving: boolean,
): Promise<void> {
  for await (const batch of fetchByIds(transaction, target, ids, always))
    for (const item of batch) {
      const values = storedValues(target, item)
      const next = linked(values[of.name], ownerId, isLeaving)
      await changeGuarded(transaction, job, target, item, { ...values, [of.name]: next })
    }
}

/**
 * Where their model wants `If-Match`, no tag of the owner tells which versions of its items the client knows: only who says that any will do may
 * change them from here.
 * @throws ApiError `precondition-required`
 */
function refuseUnmatched({ precondition, views }: BodyJob, { target, of }: InverseField): void {
  if (!views.of(target).requireMatch || (precondition.kind === 'ifMatch' && precondition.tags === 'any')) return
  throw refuse(
    'precondition-required',
    `Every change of a ${target.name} names the version that it is made on: change '${of.wire}' of each with its own ETag in If-Match, or send If-Match: * to change them in any version.`,
    { header: 'If-Match' },
  )
}

/** Of what the relation holds now: which stay, and which go. Only a replacement has to look at those that were not sent. */
async function linkedNow(
  transaction: StoreTransaction,
  job: BodyJob,
  ownerId: string,
  relation: InverseField,
  sent: ReadonlyMap<string, unknown>,
  change: LinkageChange,
): Promise<{ readonly staying: ReadonlySet<string>; readonly leaving: readonly string[] }> {
  const staying = new Set<string>()
  const leaving: string[] = []
  const { of, target } = relation
  const guard = job.guards.condition(target, job.context)
  const held =
    change === 'replace'
      ? linkedTo(transaction, job, relation, ownerId)
      : fetchByIds(transaction, target, [...sent.keys()], both(relatesTo(of.name, of.kind, [ownerId]), guard))
  for await (const batch of held) {
    for (const item of batch) {
      if (sent.has(item.id) === (change === 'remove')) leaving.push(item.id)
      else staying.add(item.id)
    }
  }
  return { staying, leaving }
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
): Promise<readonly string[]> {
  const found = new Set<string>()
  const ids = wanted.map((id) => id.value)
  for await (const batch of fetchByIds(transaction, target, ids, guards.condition(target, context)))
    for (const item of batch) found.add(item.id)
  for (const { value, steps } of wanted) {
    if (hasEnough(problems)) break
    const detail = `There is no ${target.name} with the id '${shortened(value, 128)}'.`
    if (!found.has(value)) problems.push(problem(missingRelated, detail, { pointer: pointer(steps) }))
  }
  return [...found]
}

/** A write to the other side is one of its own model's updates. */
async function refuseUnwritable(
  transaction: StoreTransaction,
  { guards, context }: BodyJob,
  { target }: InverseField,
  ids: readonly string[],
  sent: ReadonlyMap<string, Sent<string>>,
  relation: SentRelation,
  problems: Problem[],
): Promise<void> {
  for (const id of ids) {
    const guard = guards.writeCondition(target, context, id)
    if (guard.kind === 'always' || (await transaction.find(target, both(guard, hasId(id))))) continue
    if (hasEnough(problems)) return
    const steps = sent.get(id)?.steps ?? (relation.kind === 'one' ? relation.id.steps : relation.steps)
    problems.push(
      problem('forbidden', `The ${target.name} '${id}' may not be changed here.`, { pointer: pointer(steps) }),
    )
  }
}

function required({ wire, target, of }: InverseField, sent: SentRelation): Problem {
  const detail = `Every ${target.name} requires '${of.wire}', so none can be taken out of '${wire}'; give it another, or delete it.`
  return problem('conflict', detail, {
    pointer: pointer(sent.kind === 'one' ? sent.id.steps : sent.steps),
  })
}
