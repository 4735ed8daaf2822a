import { ApiError } from '../error/api-error.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import { closeBody } from '../http/close-body.ts'
import type { Result } from '../operation/job.ts'
import { type SideChange, Unasked } from '../operation/side-changes.ts'
import { Unsettled, Validations } from '../operation/validations.ts'
import { wholeSelection } from '../rule/selection.ts'
import { changingMany } from '../store/on-behalf.ts'
import { requestsTransaction } from '../store/requests-transaction.ts'
import { Slices } from '../store/slices.ts'
import type { Caller, StoreAccess } from '../store/store.ts'
import { within } from '../store/within.ts'
import type { Call } from './batch-calls.ts'
import { attempt, refuseAnswered } from './batch-refusal.ts'
import type { Parts } from './parts.ts'

/** All operations in one transaction, which is undone and begins anew where hooks of other models have to be asked, or schemas waited for. */
export async function runAll(
  { store, validationTimeoutMs, limits }: Parts,
  calls: readonly Call[],
  caller: Caller,
): Promise<readonly Result[]> {
  const validations = new Validations(validationTimeoutMs, caller)
  // Each attempt gets further than the one before by an operation at least, unless others change the same items meanwhile.
  for (let left = calls.length + attemptsBesides; left > 0; left--) {
    try {
      return await store.write((transaction) => {
        const bounded = requestsTransaction(transaction, caller, limits.maxChangedItems)
        return run(calls, within(bounded), validations)
      }, changingMany(caller))
    } catch (error) {
      if (!(error instanceof Unready)) throw error
      caller.signal.throwIfAborted()
      if (error.isUnsettled) await validations.settle()
      await askOthers(error)
    }
  }
  throw temporaryRefusal('overloaded', 'The items of the batch change too often; try again in a moment.')
}

const attemptsBesides = 20

/**
 * Asks all that is to be asked. Only the first operation that could not be carried out is certain to change what it said: those after it might not, once
 * it is carried out, so that what hooks answer to them counts only when they are asked anew.
 */
async function askOthers({ first, unasked }: Unready): Promise<void> {
  for (const { call, change } of unasked) {
    const { operation, asking } = call
    if (call === first) {
      const response = await attempt(operation, () => asking.ask(change))
      if (response) await refuseAnswered(response, operation)
    } else {
      const response = await asking.ask(change).catch(() => undefined)
      if (response) await closeBody(response.body)
    }
  }
}

/** An operation that changes items of other models, whose hooks are not asked yet. */
interface UnaskedCall {
  readonly call: Call
  readonly change: SideChange
}

/** Ends a transaction in which not all operations could be carried out, with all that is to be asked and waited for before it begins anew. */
class Unready extends Error {
  override readonly name = 'Unready'
  isUnsettled = false
  readonly unasked: UnaskedCall[] = []
  /** The first operation that could not be carried out. */
  readonly first: Call

  constructor(first: Call) {
    super('Hooks have to be asked, or schemas waited for.')
    this.first = first
  }
}

/**
 * Once an operation cannot be carried out, the later ones are run only to find out what they have to wait for, all at once: their errors may
 * come of that operation, and the next attempt tells whether they do.
 * @throws Unready
 */
async function run(calls: readonly Call[], store: StoreAccess, validations: Validations): Promise<readonly Result[]> {
  const results: Result[] = []
  const slices = new Slices()
  let unready: Unready | undefined
  for (const call of calls) {
    // Operations that come to nothing may have asked nothing of the store, which gives way too.
    if (slices.isOver()) await slices.giveWay()
    try {
      results.push(await operate(call, store, validations))
    } catch (error) {
      const isUnsettled = error instanceof Unsettled
      if (isUnsettled || error instanceof Unasked) {
        unready ??= new Unready(call)
        if (isUnsettled) unready.isUnsettled = true
        else unready.unasked.push({ call, change: error.change })
      } else if (!unready) throw error
      // What is no refusal may have ended the transaction.
      else if (!(error instanceof ApiError)) break
    }
  }
  if (unready) throw unready
  return results
}

async function operate(
  { operation, endpoint, context, sent, asking }: Call,
  store: StoreAccess,
  validations: Validations,
): Promise<Result> {
  return attempt(operation, async () => {
    const placed = await endpoint.narrow(wholeSelection, context)
    return endpoint.operateIn(store, asking.permits, validations, context, placed, sent)
  })
}
