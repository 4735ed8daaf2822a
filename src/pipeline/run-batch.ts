import { TimeSlice } from '../concurrency/time-slice.ts'
import type { RouterServices } from '../document/router-services.ts'
import { ApiError } from '../error/api-error.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import { closeBody } from '../http/close-body.ts'
import { ApprovalRequired, type RelatedChange } from '../operation/approvals.ts'
import type { OperationResult } from '../operation/operation-input.ts'
import { ValidationPending, Validations } from '../operation/validations.ts'
import { defaultSelection } from '../rule/selection.ts'
import type { Caller, StoreAccess } from '../store/store.ts'
import { allowManyChanges } from '../store/store-for-caller.ts'
import { transactionAccess } from '../store/transaction-access.ts'
import { transactionForCaller } from '../store/transaction-for-caller.ts'
import type { BatchCall } from './batch-calls.ts'
import { refuseHookResponse, withBatchErrors } from './batch-errors.ts'

/**
 * All operations in one transaction, which is undone and begins anew where hooks of other models
 * have to be asked, or schemas waited for.
 */
export async function runBatch(
  { store, validationTimeoutMs, limits }: RouterServices,
  calls: readonly BatchCall[],
  caller: Caller,
): Promise<readonly OperationResult[]> {
  const validations = new Validations(validationTimeoutMs, caller)
  // Each attempt gets further than the one before by an operation at least, unless others change
  // the same items meanwhile.
  for (let left = calls.length + extraAttempts; left > 0; left--) {
    try {
      return await store.write((transaction) => {
        const bounded = transactionForCaller(transaction, caller, limits.maxChangedItems)
        return runCalls(calls, transactionAccess(bounded), validations)
      }, allowManyChanges(caller))
    } catch (error) {
      if (!(error instanceof BatchNotReady)) throw error
      caller.signal.throwIfAborted()
      if (error.isValidationPending) await validations.waitForPending()
      await requestApprovals(error)
    }
  }
  throw temporaryRefusal(
    'overloaded',
    'The items of the batch change too often; try again in a moment.',
  )
}

const extraAttempts = 20

/**
 * Asks all that is to be asked. Only the first operation that could not be carried out is certain
 * to change what it said: those after it might not, once it is carried out, so that what hooks
 * answer to them counts only when they are asked anew.
 */
async function requestApprovals({ firstCall, unapproved }: BatchNotReady): Promise<void> {
  for (const { call, change } of unapproved) {
    const { operation, hookApprovals } = call
    if (call === firstCall) {
      const response = await withBatchErrors(operation, () => hookApprovals.request(change))
      if (response) await refuseHookResponse(response, operation)
    } else {
      const response = await hookApprovals.request(change).catch(() => undefined)
      if (response) await closeBody(response.body)
    }
  }
}

/** An operation that changes items of other models, whose hooks are not asked yet. */
interface UnapprovedCall {
  readonly call: BatchCall
  readonly change: RelatedChange
}

/**
 * Ends a transaction in which not all operations could be carried out, with all that is to be asked
 * and waited for before it begins anew.
 */
class BatchNotReady extends Error {
  override readonly name = 'Unready'
  isValidationPending = false
  readonly unapproved: UnapprovedCall[] = []
  /** The first operation that could not be carried out. */
  readonly firstCall: BatchCall

  constructor(first: BatchCall) {
    super('Hooks have to be asked, or schemas waited for.')
    this.firstCall = first
  }
}

/**
 * Once an operation cannot be carried out, the later ones are run only to find out what they have
 * to wait for, all at once: their errors may come of that operation, and the next attempt tells
 * whether they do.
 * @throws Unready
 */
async function runCalls(
  calls: readonly BatchCall[],
  store: StoreAccess,
  validations: Validations,
): Promise<readonly OperationResult[]> {
  const results: OperationResult[] = []
  const slices = new TimeSlice()
  let unready: BatchNotReady | undefined
  for (const call of calls) {
    // Operations that come to nothing may have asked nothing of the store, which gives way too.
    if (slices.isOver()) await slices.yieldToEventLoop()
    try {
      results.push(await runCall(call, store, validations))
    } catch (error) {
      const isUnsettled = error instanceof ValidationPending
      if (isUnsettled || error instanceof ApprovalRequired) {
        unready ??= new BatchNotReady(call)
        if (isUnsettled) unready.isValidationPending = true
        else unready.unapproved.push({ call, change: error.change })
      } else if (!unready) throw error
      // What is no refusal may have ended the transaction.
      else if (!(error instanceof ApiError)) break
    }
  }
  if (unready) throw unready
  return results
}

async function runCall(
  { operation, endpoint, context, payload, hookApprovals }: BatchCall,
  store: StoreAccess,
  validations: Validations,
): Promise<OperationResult> {
  return withBatchErrors(operation, async () => {
    const placed = await endpoint.narrow(defaultSelection, context)
    return endpoint.operateInTransaction(
      store,
      hookApprovals.approvals,
      validations,
      context,
      placed,
      payload,
    )
  })
}
