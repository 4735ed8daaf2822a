import { isPromise } from '../../concurrency/is-promise.ts'
import { itemLockErrors, withItemLock } from '../../concurrency/item-lock.ts'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import { withOwnWords } from '../../context/code-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { HookTimeout } from '../../error/hook-timeout.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { ItemsOf } from '../../model/items/items.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { StoredResource } from '../../model/stored-resource.ts'
import { underlyingStore } from '../../store/store-for-caller.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { hasSameContent, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { resourcesIn } from '../../stored-item/item-resources.ts'
import { withRollupsForComparison } from '../../stored-item/rollup-values.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import { toModelInstance } from '../model-instance.ts'
import type { ActionOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { checkPreconditions, preconditionErrors } from '../preconditions.ts'
import { fetchRelatedItems } from '../related-items.ts'
import { shownItem } from '../shown-item.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { retryUntilValidated, ValidationPending, validationErrors } from '../validations.ts'
import { changeGuardedItem, changeGuardedItemErrors } from '../write/change-guarded-item.ts'
import { actionOutput, actionOutputErrors } from './action-output.ts'
import { ActionTransaction } from './action-transaction.ts'
import { refuseUndeclaredMembers } from './refuse-undeclared-members.ts'
import { actionInputErrors, validateActionInput } from './validate-action-input.ts'
import { actionResultErrors, validateActionResult } from './validate-action-result.ts'

const ownErrors = ['conflict'] as const

export const runActionErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...itemLockErrors,
  ...validationErrors,
  ...findItemErrors,
  ...preconditionErrors,
  ...actionInputErrors,
  ...actionResultErrors,
  ...changeGuardedItemErrors,
  ...actionOutputErrors,
]

const { refuse } = refusalsOf(ownErrors)

/** Runs an action: changes the item, and returns the output, or a promise of it. */
export type ActionFunction = (item: object, actionInput: unknown, items: ItemsOf) => unknown

/** An action that was called, with the stored item, and the instance made from it. */
interface ActionCall {
  readonly storedItem: StoredItem
  readonly item: object
  /** The names of its members before the call. */
  readonly memberNames: ReadonlySet<string>
  readonly resources: ReadonlySet<StoredResource>
  readonly returnValue: unknown
}

/** What an action runs in. */
type ActionScope = Pick<ActionTransaction<OperationResult>, 'items' | 'run'>

/** How often an asynchronous action is called again because its item changed meanwhile. */
export const maxActionAttempts = 10

/** Actions that have returned a promise before. */
const asynchronousActions = new WeakSet<ActionOperationInput['action']>()

/**
 * Runs an action on one item, and stores the result, in one atomic step: no other change comes
 * between what the action saw and what is stored.
 *
 * A synchronous action runs inside the transaction. An asynchronous one must not block other
 * writers, so it runs outside. Its result is stored if the item has not changed meanwhile;
 * otherwise the action is called again with the new item.
 */
export async function runAction(
  input: ActionOperationInput,
  actionFunction: ActionFunction,
): Promise<OperationResult> {
  const { store, action, context, view, actionTimeoutMs } = input
  if (!action.isAsync && !asynchronousActions.has(action)) {
    const validated = await validateInput(input)
    let call: ActionCall | undefined
    let later = actionTransaction(input, actionFunction)
    try {
      const result = await store.write(async (transaction) => {
        later.abort()
        later = actionTransaction(input, actionFunction)
        call = await callAction(transaction, input, actionFunction, validated, later)
        if (!isPromise(call.returnValue)) refuseUnfinished(input, later)
        return isPromise(call.returnValue) ? undefined : storeResult(transaction, input, call)
      })
      if (result) {
        later.abort()
        return result
      }
      asynchronousActions.add(action)
    } catch (error) {
      later.abort()
      if (!(error instanceof ValidationPending)) throw error
    }
    try {
      // The action is not called again while the item stays the same.
      const result = call && (await finishCall(input, call, later))
      if (result) return result
    } finally {
      later.abort()
    }
  }
  const timeout = { timeoutMs: actionTimeoutMs, waiter: context }
  return withItemLock(
    underlyingStore(store),
    `${view.model.name}/${context.id}`,
    timeout,
    async () => {
      for (let attemptIndex = 0; attemptIndex < maxActionAttempts; attemptIndex++) {
        const validated = await validateInput(input)
        const transaction = actionTransaction(input, actionFunction)
        const result = await callOnce(store, input, actionFunction, validated, transaction)
        if (result) return result
      }
      throw refuse(
        'conflict',
        `The ${view.model.name} kept changing while '${action.name}' was running. Try again.`,
      )
    },
  )
}

function actionTransaction(
  input: ActionOperationInput,
  actionFunction: ActionFunction,
): ActionTransaction<OperationResult> {
  const { store, withItems, runInAction } = input
  return new ActionTransaction({
    store,
    withItems,
    runInAction,
    callAgain: async (transaction) => {
      const validated = await validateInput(input)
      return withItems(transaction, async (items) => {
        const scope: ActionScope = { items, run: (code) => code() }
        const call = await callAction(transaction, input, actionFunction, validated, scope)
        const returnValue = await awaitReturnValue(input, call.returnValue)
        return storeResult(transaction, input, { ...call, returnValue })
      })
    },
  })
}

/** @returns undefined if the action has to be called again */
async function callOnce(
  reader: StoreReader,
  input: ActionOperationInput,
  actionFunction: ActionFunction,
  validated: ValidatedInput,
  transaction: ActionTransaction<OperationResult>,
): Promise<OperationResult | undefined> {
  try {
    const call = await callAction(reader, input, actionFunction, validated, transaction)
    return await finishCall(input, call, transaction)
  } finally {
    transaction.abort()
  }
}

/** @throws TypeError if the action has begun to use items, and does not wait for it */
function refuseUnfinished(
  { action, view }: ActionOperationInput,
  { isOpen, isPending }: ActionTransaction<OperationResult>,
) {
  if (isOpen || isPending)
    throw new TypeError(
      `The action '${action.name}' of '${view.model.name}' uses items without waiting for them. Make it async, and await each call.`,
    )
}

/**
 * Waits for the action, and stores its result: in the transaction of `items` if it has used them.
 * @returns undefined if the action has to be called again
 */
async function finishCall(
  input: ActionOperationInput,
  call: ActionCall,
  transaction: ActionTransaction<OperationResult>,
): Promise<OperationResult | undefined> {
  const { validations, store } = input
  const finished = awaitReturnValue(input, call.returnValue).then(
    (returnValue): ActionCall => ({ ...call, returnValue }),
  )
  // Waits before it looks whether the transaction is open.
  const timeout = await Promise.race([finished.catch(() => undefined), transaction.expired])
  if (timeout instanceof HookTimeout) throw timeout
  if (!transaction.isOpen) {
    const closed = await finished
    return retryUntilValidated(validations, () =>
      store.write((current) => storeIfUnchanged(current, input, closed)),
    )
  }
  try {
    return await transaction.finish(async (current) =>
      storeOrRepeat(current, input, await finished),
    )
  } catch (error) {
    if (error instanceof ItemChanged) return undefined
    if (!(error instanceof ValidationPending)) throw error
    await validations.waitForPending()
    return undefined
  }
}

/** Undoes what an action has written to other items: its own item changed meanwhile. */
class ItemChanged extends Error {
  override readonly name = 'ItemChanged'
}

async function storeOrRepeat(
  transaction: UnitOfWork,
  input: ActionOperationInput,
  call: ActionCall,
): Promise<OperationResult> {
  const current = await findItem(transaction, input)
  if (!isSameButRollups(input.view.model, call.storedItem, current)) {
    checkPreconditions(input, await shownItem(transaction, input, current))
    throw new ItemChanged('The item has changed since the action was called.')
  }
  return storeResult(transaction, input, call, current)
}

/** The action itself may have written the items that the rollups are made of. */
function isSameButRollups(model: ModelDescription, called: StoredItem, current: StoredItem) {
  return hasSameContent(withRollupsForComparison(model, called, current), current)
}

/** The input, or why it is invalid, which the client learns only if the item exists. */
type ValidatedInput =
  | { readonly kind: 'valid'; readonly input: unknown }
  | { readonly kind: 'invalid'; readonly error: unknown }

/** Long inputs take long to validate, so this happens before the transaction. */
function validateInput(input: ActionOperationInput): Promise<ValidatedInput> {
  return validateActionInput(input).then(
    (actionInput) => ({ kind: 'valid', input: actionInput }),
    (error: unknown) => ({ kind: 'invalid', error }),
  )
}

/** Everything up to the call of the action. */
async function callAction(
  reader: StoreReader,
  input: ActionOperationInput,
  actionFunction: ActionFunction,
  validated: ValidatedInput,
  scope: ActionScope,
): Promise<ActionCall> {
  const { model } = input.view
  const storedItem = await findItem(reader, input)
  if (validated.kind === 'invalid') throw validated.error
  checkPreconditions(input, await shownItem(reader, input, storedItem))
  const values = readStoredValues(model, storedItem)
  const related = await fetchRelatedItems(reader, input, model.ownedRelations, [values])
  const item = toModelInstance(model, values, related, storedItem.hash)
  const memberNames = new Set(Object.keys(item))
  const resources = new Set(
    model.resourcePaths.length === 0 ? [] : resourcesIn(model, values).values(),
  )
  const returnValue = scope.run(() =>
    withOwnWords(() => actionFunction(item, validated.input, scope.items)),
  )
  // The promise is awaited later, possibly after something else has failed.
  if (isPromise(returnValue)) returnValue.then(undefined, () => undefined)
  return { storedItem, item, memberNames, resources, returnValue }
}

/** @returns undefined if the item has changed since the action was called */
async function storeIfUnchanged(
  transaction: UnitOfWork,
  input: ActionOperationInput,
  call: ActionCall,
): Promise<OperationResult | undefined> {
  const current = await findItem(transaction, input)
  checkPreconditions(input, await shownItem(transaction, input, current))
  return hasSameContent(current, call.storedItem)
    ? storeResult(transaction, input, call, current)
    : undefined
}

/**
 * Everything after the call of the action.
 * @param current the item as it is now, which may have other rollups
 */
async function storeResult(
  transaction: UnitOfWork,
  input: ActionOperationInput,
  { storedItem, item, memberNames, resources, returnValue }: ActionCall,
  current: StoredItem = storedItem,
): Promise<OperationResult> {
  const { model } = input.view
  refuseUndeclaredMembers(input, item, memberNames)
  // Read again: the action may have changed the values in place.
  const before = readStoredValues(model, storedItem)
  const members = await validateActionResult(
    transaction,
    input,
    before,
    item as Record<string, unknown>,
    resources,
  )
  const changed = await changeGuardedItem(transaction, input, model, current, {
    ...members,
    id: current.id,
  })
  // Checked last: problems of the item are the client's to fix, those of the output are not.
  const text = actionOutput(input, returnValue)
  if (text === undefined) return { kind: 'item', item: changed }
  const { hash } = await shownItem(transaction, input, changed)
  return { kind: 'output', text, etag: hash === null ? undefined : `"${hash}"` }
}

async function awaitReturnValue(
  { action, view, context, actionTimeoutMs }: ActionOperationInput,
  returnValue: unknown,
): Promise<unknown> {
  const timeoutError = () =>
    new Error(
      `The action '${action.name}' of '${view.model.name}' timed out after ${actionTimeoutMs} ms.`,
    )
  if (!isPromise(returnValue)) return returnValue
  return withTimeout(Promise.resolve(returnValue), {
    timeoutMs: actionTimeoutMs,
    timeoutError,
    waiter: context,
  })
}
