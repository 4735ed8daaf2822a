import { refuse } from '../error/api-error.ts'
import type { StoredResource } from '../model/stored-resource.ts'
import { resourcesIn } from '../store/item-resources.ts'
import { sameContent, storedValues } from '../store/item-text.ts'
import { sharedStore } from '../store/on-behalf.ts'
import type { StoreReader, StoreTransaction } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { findItem } from './find-item.ts'
import { isPromise } from './is-promise.ts'
import type { ActionJob, Result } from './job.ts'
import { leftMembers } from './left-members.ts'
import { refuseStale } from './match.ts'
import { toModel } from './model-instance.ts'
import { outputText } from './output-text.ts'
import { readInput } from './read-input.ts'
import { itemsRelatedTo } from './related-items.ts'
import { inTurn } from './turns.ts'
import { Unsettled, untilSettled } from './validations.ts'
import { withinTime } from './within-time.ts'
import { changeGuarded } from './write-item.ts'

/** What an action does: changes the item, and gives its output, at once or later. */
export type Act = (item: object, input: unknown) => unknown

/** An action that has been called: on which item, and on which object made of it. */
interface Called {
  readonly base: StoredItem
  readonly item: object
  readonly resources: ReadonlySet<StoredResource>
  readonly returned: unknown
}

/** How often an action that waits is begun anew because the item was changed meanwhile. */
export const mostAttempts = 10

/** Actions that turned out to wait. */
const waiting = new WeakSet<ActionJob['action']>()

/**
 * Does something with one item and stores what became of it, in one atomic step: nobody's change comes between what the action saw and what is
 * stored.
 *
 * An action that returns at once runs inside the transaction. One that waits must not keep all other writers waiting: it runs outside, and what
 * it left is stored if the item is still what the action saw, else it is begun anew on what the item is now.
 */
export async function runAction(job: ActionJob, act: Act): Promise<Result> {
  const { store, action, context, view, patience, validations } = job
  const attempt = async (called: Called) => {
    const returned = await inTime(job, called.returned)
    return untilSettled(validations, () => finishLater(job, { ...called, returned }))
  }
  if (!action.waits && !waiting.has(action)) {
    const input = await judged(job)
    let called: Called | undefined
    try {
      const done = await store.write(async (transaction) => {
        called = await begin(transaction, job, act, input)
        return isPromise(called.returned) ? undefined : finish(transaction, job, called)
      })
      if (done) return done
      waiting.add(action)
    } catch (error) {
      if (!(error instanceof Unsettled)) throw error
    }
    // What was called is not called again, as long as the item stays what it was.
    const result = called && (await attempt(called))
    if (result) return result
  }
  const waits = { milliseconds: patience, signal: context.signal }
  return inTurn(sharedStore(store), `${view.model.name}/${context.id}`, waits, async () => {
    for (let count = 0; count < mostAttempts; count++) {
      const result = await attempt(await begin(store, job, act, await judged(job)))
      if (result) return result
    }
    throw refuse('conflict', `The ${view.model.name} kept changing while '${action.name}' was at work; try again.`)
  })
}

/** The input, or what is wrong with it: which is only told once it is known that there is such an item. */
type Judged = { readonly kind: 'fit'; readonly input: unknown } | { readonly kind: 'unfit'; readonly error: unknown }

/** Long inputs take long to validate, so that is done before the transaction. */
function judged(job: ActionJob): Promise<Judged> {
  return readInput(job).then(
    (read) => ({ kind: 'fit', input: read }),
    (error: unknown) => ({ kind: 'unfit', error }),
  )
}

/** Everything up to the call. */
async function begin(reader: StoreReader, job: ActionJob, act: Act, given: Judged): Promise<Called> {
  const { model } = job.view
  const base = await findItem(reader, job)
  if (given.kind === 'unfit') throw given.error
  refuseStale(job, base)
  const values = storedValues(model, base)
  const related = await itemsRelatedTo(reader, job, model.owned, [values])
  const item = toModel(model, values, related, base.hash)
  const resources = new Set(model.slots.length === 0 ? [] : resourcesIn(model, values).values())
  const returned = act(item, given.input)
  // What it comes to is looked at later, maybe after something else has failed.
  if (isPromise(returned)) returned.then(undefined, () => undefined)
  return { base, item, resources, returned }
}

/** @returns undefined when the item is no longer what the action saw. */
function finishLater(job: ActionJob, called: Called): Promise<Result | undefined> {
  return job.store.write(async (transaction) => {
    const current = await findItem(transaction, job)
    refuseStale(job, current)
    return sameContent(current, called.base) ? finish(transaction, job, { ...called, base: current }) : undefined
  })
}

/** Everything after the call. */
async function finish(
  transaction: StoreTransaction,
  job: ActionJob,
  { base, item, resources, returned }: Called,
): Promise<Result> {
  const { model } = job.view
  // Read anew: the action may have changed the values themselves.
  const before = storedValues(model, base)
  const members = await leftMembers(transaction, job, before, item as Record<string, unknown>, resources)
  const changed = await changeGuarded(transaction, job, model, base, { ...members, id: base.id })
  // Last, for what no item may be is the caller's to mend; an output of another kind than declared is the service's own fault.
  const text = outputText(job, returned)
  if (text === undefined) return { kind: 'item', item: changed }
  return { kind: 'output', text, etag: changed.hash === null ? undefined : `"${changed.hash}"` }
}

async function inTime({ action, view, context, patience }: ActionJob, returned: unknown): Promise<unknown> {
  const late = () =>
    new Error(`'${action.name}' of the model '${view.model.name}' did not come to an end within ${patience} ms.`)
  if (!isPromise(returned)) return returned
  return withinTime(Promise.resolve(returned), { milliseconds: patience, late, signal: context.signal })
}
