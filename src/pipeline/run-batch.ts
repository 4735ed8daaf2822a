import { chain } from '../concurrency/maybe-promise.ts'
import { TimeSlice } from '../concurrency/time-slice.ts'
import { throwIfAborted } from '../concurrency/yield-to-event-loop.ts'
import { ApiError } from '../error/api-error.ts'
import type { ErrorCode } from '../error/catalog.ts'
import { maxReportedProblems } from '../error/max-reported-problems.ts'
import { refusalsOf } from '../error/refusals.ts'
import { closeBody } from '../http/close-body.ts'
import { ApprovalRequired, type RelatedChange } from '../operation/approvals.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import { runUnit } from '../operation/unit-of-work/run-unit.ts'
import type { UnitOfWork } from '../operation/unit-of-work/unit-of-work.ts'
import { ValidationPending, Validations, validationErrors } from '../operation/validations.ts'
import { itemsToLock } from '../operation/write/items-to-lock.ts'
import { writeHookErrors } from '../operation/write-hooks/hook-observer.ts'
import { defaultSelection } from '../rule/selection.ts'
import { ChangeLimit, changeLimitErrors } from '../store/change-limit.ts'
import type { StoreCall } from '../store/store-call.ts'
import { allowManyChanges } from '../store/store-for-caller.ts'
import type { BeginObserver } from '../store/write-observer.ts'
import type { BatchCall } from './batch-calls.ts'
import { hookResponseErrors, refuseHookResponse, withBatchErrors } from './batch-errors.ts'
import { BatchIds } from './batch-ids.ts'
import { batchItems } from './batch-items.ts'
import type { OperationServices } from './operation-services.ts'
import { writeSource } from './write-source.ts'

const ownErrors = ['overloaded'] as const

export const runBatchErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...hookResponseErrors,
  ...validationErrors,
  ...changeLimitErrors,
  ...writeHookErrors,
]

const { temporaryRefusal } = refusalsOf(ownErrors)

/** An operation as it ran, with the ids that the database made. */
export interface BatchResult {
  readonly call: BatchCall
  readonly result: OperationResult
}

/** Which operations the error of a batch is about. */
export type ReportedFailures = 'first' | 'all'

/** Several operations cannot be done. */
export class OperationsFailed extends Error {
  override readonly name = 'OperationsFailed'
  readonly errors: readonly ApiError[]

  constructor(errors: readonly ApiError[]) {
    super('Some operations cannot be done.')
    this.errors = errors
  }
}

/**
 * Runs all operations in one transaction, which is undone and starts again if hooks of other models
 * must run, or schemas are asynchronous.
 * @throws OperationsFailed where all failures are reported; else the error of the first one
 */
export async function runBatch(
  { wholeStore, guards, validationTimeoutMs, limits, writeObservers }: OperationServices,
  calls: readonly BatchCall[],
  caller: StoreCall,
  recorder?: BeginObserver,
  reported: ReportedFailures = 'first',
): Promise<readonly BatchResult[]> {
  const validations = new Validations(validationTimeoutMs, caller)
  const changing = allowManyChanges(caller)
  const observers: readonly BeginObserver<UnitOfWork>[] = [
    ...writeObservers,
    () => new ChangeLimit(limits.maxChangedItems),
    ...(recorder ? [recorder] : []),
  ]
  // Each attempt gets at least one operation further than the one before, unless other requests
  // change the same items.
  for (let attempts = calls.length + extraAttempts; attempts > 0; attempts--) {
    try {
      return await runUnit({ store: wholeStore, observers, call: changing }, async (unit) => {
        // A single operation locks its item itself. Batches wait for the locks of this process,
        // also for one item, so that they wait without a connection.
        if (calls.length > 1)
          await unit.locks?.lockForWrite(() =>
            chain(batchItems(unit.unobserved, guards, calls), (items) =>
              itemsToLock(unit.unobserved, items),
            ),
          )
        return runCalls(calls, unit, validations, reported)
      })
    } catch (error) {
      if (!(error instanceof BatchNotReady)) throw error
      throwIfAborted(caller)
      if (error.isValidationPending) await validations.waitForPending()
      await requestApprovals(error)
    }
  }
  throw temporaryRefusal('overloaded', 'The items of the batch kept changing. Try again later.')
}

const extraAttempts = 20

/**
 * Requests all missing approvals. Only the first operation that stopped is certain to need its
 * approval. Later ones may not, once the first has run, so refusals of their hooks count only in
 * the next attempt.
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

/** An operation that changes items of other models without an approval. */
interface UnapprovedCall {
  readonly call: BatchCall
  readonly change: RelatedChange
}

/** Ends a transaction in which some operations need approvals or asynchronous schemas. */
class BatchNotReady extends Error {
  override readonly name = 'BatchNotReady'
  isValidationPending = false
  readonly unapproved: UnapprovedCall[] = []
  /** The first operation that could not run. */
  readonly firstCall: BatchCall

  constructor(first: BatchCall) {
    super('Some operations need approvals or asynchronous schemas.')
    this.firstCall = first
  }
}

/**
 * After the first operation that cannot run, later ones run only to find out what they need. Their
 * errors may result from the missing operation, so the next attempt decides.
 * @throws BatchNotReady
 */
async function runCalls(
  calls: readonly BatchCall[],
  unit: UnitOfWork,
  validations: Validations,
  reported: ReportedFailures,
): Promise<readonly BatchResult[]> {
  const failures: ApiError[] = []
  const results: BatchResult[] = []
  const ids = new BatchIds()
  const timeSlice = new TimeSlice(undefined, { holdsLock: true })
  let notReady: BatchNotReady | undefined
  for (const call of calls) {
    // Operations without a query never yield in the store.
    if (timeSlice.isOver) await timeSlice.yieldToEventLoop()
    try {
      const callWithIds = ids.apply(call)
      const result = await runCall(callWithIds, ids, unit, validations)
      ids.add(call, result)
      results.push({ call: callWithIds, result })
    } catch (error) {
      const isPending = error instanceof ValidationPending
      if (isPending || error instanceof ApprovalRequired) {
        notReady ??= new BatchNotReady(call)
        if (isPending) notReady.isValidationPending = true
        else notReady.unapproved.push({ call, change: error.change })
      } else if (!notReady && reported === 'first') throw error
      // Other errors than refusals may have ended the transaction.
      else if (!(error instanceof ApiError)) {
        if (!notReady && failures.length === 0) throw error
        break
      } else if (failures.length === 0 || !isOfMissingItem(error)) failures.push(error)
    }
    if (failures.length >= maxReportedProblems) break
  }
  if (notReady) throw notReady
  if (failures.length > 0) throw new OperationsFailed(failures)
  return results
}

/** The operation that failed before may have been to create this item. */
function isOfMissingItem({ problems }: ApiError): boolean {
  return problems.some(({ code }) => code === 'related-not-found' || code === 'related-missing')
}

async function runCall(
  { operation, endpoint, context, payload, hookApprovals }: BatchCall,
  ids: BatchIds,
  unit: UnitOfWork,
  validations: Validations,
): Promise<OperationResult> {
  return withBatchErrors(operation, async () => {
    const selection = defaultSelection
    const pagedPlan = await endpoint.narrow(selection, context)
    const { approvals } = hookApprovals
    return endpoint.operateInTransaction({
      store: unit.forOperation(() => writeSource(endpoint.rule, context, payload, validations)),
      context,
      pagedPlan,
      selection,
      payload,
      approvals: ids.approvals(approvals),
      validations,
    })
  })
}
