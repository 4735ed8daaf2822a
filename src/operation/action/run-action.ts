import { isPromise } from '../../concurrency/is-promise.ts'
import { withItemLock } from '../../concurrency/item-lock.ts'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import { refuse } from '../../error/api-error.ts'
import type { StoredResource } from '../../model/stored-resource.ts'
import type { StoreReader, StoreTransaction } from '../../store/store.ts'
import { underlyingStore } from '../../store/store-for-caller.ts'
import { hasSameContent, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { resourcesIn } from '../../stored-item/item-resources.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { findItem } from '../find-item.ts'
import { toModelInstance } from '../model-instance.ts'
import type { ActionOperationInput, OperationResult } from '../operation-input.ts'
import { checkPreconditions } from '../preconditions.ts'
import { fetchRelatedItems } from '../related-items.ts'
import { retryUntilValidated, ValidationPending } from '../validations.ts'
import { changeGuardedItem } from '../write/write-item.ts'
import { actionOutput } from './action-output.ts'
import { validateActionInput } from './validate-action-input.ts'
import { validateActionResult } from './validate-action-result.ts'

/** What an action does: changes the item, and gives its output, at once or later. */
export type ActionFunction = (item: object, input: unknown) => unknown

/** An action that has been called: on which item, and on which object made of it. */
interface ActionCall {
  readonly storedItem: StoredItem
  readonly item: object
  readonly resources: ReadonlySet<StoredResource>
  readonly returnValue: unknown
}

/** How often an action that waits is begun anew because the item was changed meanwhile. */
export const maxActionAttempts = 10

/** Actions that turned out to wait. */
const asynchronousActions = new WeakSet<ActionOperationInput['action']>()

/**
 * Does something with one item and stores what became of it, in one atomic step: nobody's change
 * comes between what the action saw and what is stored.
 *
 * An action that returns at once runs inside the transaction. One that waits must not keep all
 * other writers waiting: it runs outside, and what it left is stored if the item is still what the
 * action saw, else it is begun anew on what the item is now.
 */
export async function runAction(
  job: ActionOperationInput,
  act: ActionFunction,
): Promise<OperationResult> {
  const { store, action, context, view, actionTimeoutMs, validations } = job
  const attempt = async (called: ActionCall) => {
    const returned = await awaitReturnValue(job, called.returnValue)
    return retryUntilValidated(validations, () =>
      storeIfUnchanged(job, { ...called, returnValue: returned }),
    )
  }
  if (!action.isAsync && !asynchronousActions.has(action)) {
    const input = await validateInput(job)
    let called: ActionCall | undefined
    try {
      const done = await store.write(async (transaction) => {
        called = await callAction(transaction, job, act, input)
        return isPromise(called.returnValue) ? undefined : storeResult(transaction, job, called)
      })
      if (done) return done
      asynchronousActions.add(action)
    } catch (error) {
      if (!(error instanceof ValidationPending)) throw error
    }
    // What was called is not called again, as long as the item stays what it was.
    const result = called && (await attempt(called))
    if (result) return result
  }
  const waits = { milliseconds: actionTimeoutMs, signal: context.signal }
  return withItemLock(
    underlyingStore(store),
    `${view.model.name}/${context.id}`,
    waits,
    async () => {
      for (let count = 0; count < maxActionAttempts; count++) {
        const result = await attempt(await callAction(store, job, act, await validateInput(job)))
        if (result) return result
      }
      throw refuse(
        'conflict',
        `The ${view.model.name} kept changing while '${action.name}' was at work; try again.`,
      )
    },
  )
}

/**
 * The input, or what is wrong with it: which is only told once it is known that there is such an
 * item.
 */
type ValidatedInput =
  | { readonly kind: 'fit'; readonly input: unknown }
  | { readonly kind: 'unfit'; readonly error: unknown }

/** Long inputs take long to validate, so that is done before the transaction. */
function validateInput(job: ActionOperationInput): Promise<ValidatedInput> {
  return validateActionInput(job).then(
    (read) => ({ kind: 'fit', input: read }),
    (error: unknown) => ({ kind: 'unfit', error }),
  )
}

/** Everything up to the call. */
async function callAction(
  reader: StoreReader,
  job: ActionOperationInput,
  act: ActionFunction,
  given: ValidatedInput,
): Promise<ActionCall> {
  const { model } = job.view
  const base = await findItem(reader, job)
  if (given.kind === 'unfit') throw given.error
  checkPreconditions(job, base)
  const values = readStoredValues(model, base)
  const related = await fetchRelatedItems(reader, job, model.ownedRelations, [values])
  const item = toModelInstance(model, values, related, base.hash)
  const resources = new Set(
    model.resourcePaths.length === 0 ? [] : resourcesIn(model, values).values(),
  )
  const returned = act(item, given.input)
  // What it comes to is looked at later, maybe after something else has failed.
  if (isPromise(returned)) returned.then(undefined, () => undefined)
  return { storedItem: base, item, resources, returnValue: returned }
}

/** @returns undefined when the item is no longer what the action saw. */
function storeIfUnchanged(
  job: ActionOperationInput,
  called: ActionCall,
): Promise<OperationResult | undefined> {
  return job.store.write(async (transaction) => {
    const current = await findItem(transaction, job)
    checkPreconditions(job, current)
    return hasSameContent(current, called.storedItem)
      ? storeResult(transaction, job, { ...called, storedItem: current })
      : undefined
  })
}

/** Everything after the call. */
async function storeResult(
  transaction: StoreTransaction,
  job: ActionOperationInput,
  { storedItem, item, resources, returnValue }: ActionCall,
): Promise<OperationResult> {
  const { model } = job.view
  // Read anew: the action may have changed the values themselves.
  const before = readStoredValues(model, storedItem)
  const members = await validateActionResult(
    transaction,
    job,
    before,
    item as Record<string, unknown>,
    resources,
  )
  const changed = await changeGuardedItem(transaction, job, model, storedItem, {
    ...members,
    id: storedItem.id,
  })
  // Last, for what no item may be is the caller's to mend; an output of another kind than declared
  // is the service's own fault.
  const text = actionOutput(job, returnValue)
  if (text === undefined) return { kind: 'item', item: changed }
  return { kind: 'output', text, etag: changed.hash === null ? undefined : `"${changed.hash}"` }
}

async function awaitReturnValue(
  { action, view, context, actionTimeoutMs }: ActionOperationInput,
  returned: unknown,
): Promise<unknown> {
  const late = () =>
    new Error(
      `'${action.name}' of the model '${view.model.name}' did not come to an end within ${actionTimeoutMs} ms.`,
    )
  if (!isPromise(returned)) return returned
  return withTimeout(Promise.resolve(returned), {
    timeoutMs: actionTimeoutMs,
    timeoutError: late,
    signal: context.signal,
  })
}
