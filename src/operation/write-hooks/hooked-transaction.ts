import { isPromise } from '../../concurrency/is-promise.ts'
import { chain, type MaybePromise } from '../../concurrency/maybe-promise.ts'
import { withOwnWords } from '../../context/code-error.ts'
import type { BeforeWrite } from '../../context/write-hooks.ts'
import { ApiError, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import type { ItemsOf } from '../../model/items/items.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { InsertOptions, WriteOptions, WriteOutcome } from '../../store/store-transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { TransactionWrapper } from '../../store/wrap-store.ts'
import { toCodeInstance } from '../../stored-item/code-instance.ts'
import { copyValues, valuesToStore } from '../../stored-item/copy-values.ts'
import {
  createStoredItem,
  hasSameContent,
  readStoredValues,
} from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { withTimesOf } from '../../stored-item/timestamps.ts'
import { validationErrors } from '../validations.ts'
import {
  immutableItemErrors,
  refuseImmutableChange,
  refuseImmutableRemoval,
} from '../write/immutable-item.ts'
import { immutableMemberErrors, refuseImmutableMembers } from '../write/immutable-members.ts'
import { memberProblemErrors, violatedItemRule } from '../write/member-problems.ts'
import { completeDraft, completeDraftErrors } from './complete-draft.ts'
import { hookDraft } from './hook-draft.ts'
import type { WriteAttempt, WriteSource } from './write-attempt.ts'
import type { WriteSteps } from './write-steps.ts'

export const writeHookErrors: readonly ErrorCode[] = [
  ...memberProblemErrors,
  ...immutableItemErrors,
  ...immutableMemberErrors,
  ...validationErrors,
  ...completeDraftErrors,
]

/**
 * Items that were written in a transaction, and items with hooks that were read in it, by model and
 * id. They are not read again.
 */
type RememberedItems = Map<ModelDescription, Map<string, StoredItem>>

/**
 * Runs the hooks around the writes of a transaction, and the checks of whole items. Every change of
 * an item passes here, whatever causes it.
 */
export class HookedTransaction extends TransactionWrapper {
  readonly #unit: UnitOfWork
  readonly #attempt: WriteAttempt
  readonly #source: WriteSource
  // In a member, because a WeakMap with an entry for each request takes the garbage collector
  // longer than the hooks themselves.
  readonly #items: RememberedItems

  constructor(
    unit: UnitOfWork,
    attempt: WriteAttempt,
    source: WriteSource,
    items: RememberedItems = new Map(),
  ) {
    super(unit)
    this.#unit = unit
    this.#attempt = attempt
    this.#source = source
    this.#items = items
  }

  /** @param source the cause stays the same */
  override forOperation(source: WriteSource): UnitOfWork {
    const { cause } = this.#source
    return new HookedTransaction(this.#unit, this.#attempt, { ...source, cause }, this.#items)
  }

  override over(wrap: (inner: UnitOfWork) => UnitOfWork): UnitOfWork {
    return new HookedTransaction(wrap(this.#unit), this.#attempt, this.#source, this.#items)
  }

  override latest(model: ModelDescription, writtenItem: StoredItem): StoredItem {
    return this.#items.get(model)?.get(writtenItem.id) ?? writtenItem
  }

  override async find(
    model: ModelDescription,
    condition: Condition,
  ): Promise<StoredItem | undefined> {
    const item = await this.inner.find(model, condition)
    if (item && this.#attempt.steps.has(model)) this.#remember(model, [item])
    return item
  }

  override async *list(
    model: ModelDescription,
    plan: QueryPlan,
  ): AsyncGenerator<readonly StoredItem[]> {
    for await (const batch of this.inner.list(model, plan)) {
      if (this.#attempt.steps.has(model)) this.#remember(model, batch)
      yield batch
    }
  }

  override insert(
    model: ModelDescription,
    item: StoredItem,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    return this.#attempt.steps.has(model)
      ? this.insertValues(model, readStoredValues(model, item), options)
      : this.inner.insert(model, item, options)
  }

  override async insertValues(
    model: ModelDescription,
    values: StoredValues,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    const steps = this.#attempt.steps.get(model)
    if (!steps)
      return this.#remembered(
        model,
        await this.inner.insert(model, createStoredItem(model, values, 1), options),
      )
    const checked = this.#complete(steps, model, valuesToStore(model, values), undefined)
    const completed = isPromise(checked) ? await checked : checked
    const item = createStoredItem(model, completed ?? values, 1)
    const outcome = await this.inner.insert(model, item, withoutEnd(steps, options))
    return this.#finished(steps, model, outcome, undefined)
  }

  override async replace(
    model: ModelDescription,
    item: StoredItem,
    options?: WriteOptions,
  ): Promise<WriteOutcome> {
    const steps = this.#attempt.steps.get(model)
    if (!steps) return this.#remembered(model, await this.inner.replace(model, item, options))
    const previous = await this.#previous(model, item.id)
    // A store reports what is not there.
    if (!previous) return this.inner.replace(model, item, options)
    const values = readStoredValues(model, item)
    const previousValues = readStoredValues(model, previous)
    refuseImmutableChange(model, previousValues, values, this.#payloadOf(model, item.id, false))
    const completed = await this.#complete(steps, model, values, previousValues)
    const next = completed ? createStoredItem(model, completed, item.revision) : item
    this.#refuseOwnChange(model, previous)
    const outcome = await this.inner.replace(model, next, withoutEnd(steps, options))
    return this.#finished(steps, model, outcome, previous)
  }

  override async remove(model: ModelDescription, id: string): Promise<void> {
    const steps = this.#attempt.steps.get(model)
    const item = steps && (await this.#previous(model, id))
    if (!item) {
      await this.inner.remove(model, id)
      this.#items.get(model)?.delete(id)
      return
    }
    refuseImmutableRemoval(model, readStoredValues(model, item))
    const { cause } = this.#source
    const previous = readInstance(model, item)
    await this.#runHooks(
      steps.before,
      (items): BeforeWrite<unknown> => ({
        kind: 'delete',
        next: undefined,
        previous,
        cause,
        items,
        refuse: (path, message) => {
          throw new ApiError([violatedItemRule(model, path, message, undefined)])
        },
      }),
    )
    this.#refuseOwnChange(model, item)
    await this.inner.remove(model, id)
    this.#items.get(model)?.delete(id)
    const done = { kind: 'delete', item: undefined, previous, cause } as const
    await this.#runHooks(steps.after, (items) => ({ ...done, items }))
    this.#attempt.runAfterCommit(steps.afterCommit, done)
  }

  /** Runs the hooks before a write, and checks the whole item. Undefined if no hook changes it. */
  #complete(
    steps: WriteSteps,
    model: ModelDescription,
    original: StoredValues,
    previous: StoredValues | undefined,
  ): MaybePromise<StoredValues | undefined> {
    const payload = this.#payloadOf(model, original.id, previous === undefined)
    const checked = (changed: StoredValues | undefined) => {
      const completed = changed && withTimesOf(model, changed, original)
      this.#check(model, completed ?? original, previous, payload)
      return completed
    }
    return steps.before.length === 0
      ? checked(undefined)
      : chain(this.#runBefore(steps, model, { original, previous, payload }), checked)
  }

  #runBefore(
    steps: WriteSteps,
    model: ModelDescription,
    { original, previous: previousValues, payload }: ItemDraft,
  ): MaybePromise<StoredValues | undefined> {
    const draft = hookDraft(model, copyValues(original))
    const next = draft.item
    const previous = previousValues && toCodeInstance(model, copyValues(previousValues))
    const { cause, validations } = this.#source
    const refuse = (path: string, message: string) => {
      throw new ApiError([violatedItemRule(model, path, message, payload)])
    }
    const hooks = this.#runHooks(
      steps.before,
      (items): BeforeWrite<unknown> =>
        previous
          ? { kind: 'update', next, previous, cause, items, refuse }
          : { kind: 'create', next, previous, cause, items, refuse },
    )
    return chain(hooks, () =>
      completeDraft({ reader: this, validations, payload }, model, original, draft.members()),
    )
  }

  /** @throws ApiError with all problems */
  #check(
    model: ModelDescription,
    values: StoredValues,
    previous: StoredValues | undefined,
    payload: ItemPayload | undefined,
  ): void {
    if (previous) refuseImmutableChange(model, previous, values, payload)
    if (previous) refuseImmutableMembers(model, previous, values, payload)
    const problems: Problem[] = []
    model.check?.(toCodeInstance(model, copyValues(values)), (path, message) =>
      problems.push(violatedItemRule(model, String(path), message, payload)),
    )
    refuseAll(problems)
  }

  /** The outcome of a write, after the hooks that follow it. */
  #finished(
    steps: WriteSteps,
    model: ModelDescription,
    outcome: WriteOutcome,
    previousItem: StoredItem | undefined,
  ): MaybePromise<WriteOutcome> {
    this.#remembered(model, outcome)
    if (outcome.kind !== 'written') return outcome
    if (steps.after.length === 0 && steps.afterCommit.length === 0) return outcome
    const item = readInstance(model, outcome.item)
    const { cause } = this.#source
    const done = previousItem
      ? ({ kind: 'update', item, previous: readInstance(model, previousItem), cause } as const)
      : ({ kind: 'create', item, previous: undefined, cause } as const)
    const hooks = this.#runHooks(steps.after, (items) => ({ ...done, items }))
    return chain(hooks, () => {
      this.#attempt.runAfterCommit(steps.afterCommit, done)
      return outcome
    })
  }

  /** Returns a promise only if a hook does. */
  #runHooks<Write>(
    hooks: readonly Hook<Write>[],
    writeWith: (items: ItemsOf) => Write,
  ): MaybePromise<void> {
    if (hooks.length > 0)
      return this.#attempt.withItems(this, this.#source, (items) =>
        runInTurn(hooks, writeWith(items)),
      )
  }

  #remembered(model: ModelDescription, outcome: WriteOutcome): WriteOutcome {
    if (outcome.kind === 'written') this.#remember(model, [outcome.item])
    return outcome
  }

  #remember(model: ModelDescription, items: readonly StoredItem[]): void {
    const byId = this.#items.get(model) ?? new Map<string, StoredItem>()
    this.#items.set(model, byId)
    for (const item of items) byId.set(item.id, item)
  }

  async #previous(model: ModelDescription, id: string): Promise<StoredItem | undefined> {
    return this.#items.get(model)?.get(id) ?? this.find(model, idEquals(id))
  }

  /** @throws TypeError if a hook has written the item that it decides about */
  #refuseOwnChange(model: ModelDescription, before: StoredItem): void {
    const current = this.#items.get(model)?.get(before.id)
    if (current && hasSameContent(current, before)) return
    throw new TypeError(
      `A hook before a write of '${model.name}' changed or deleted the same item. Set members of 'next' instead.`,
    )
  }

  /** What the client sent for this item. */
  #payloadOf(model: ModelDescription, id: string, isNew: boolean): ItemPayload | undefined {
    const { sentItem } = this.#source
    if (sentItem?.model !== model) return undefined
    return (isNew && sentItem.id === undefined) || sentItem.id === id ? sentItem.payload : undefined
  }
}

type Hook<Write> = (write: Write) => MaybePromise<void>

function runInTurn<Write>(
  hooks: readonly Hook<Write>[],
  write: Write,
  from = 0,
): MaybePromise<void> {
  for (let index = from; index < hooks.length; index++) {
    const pending = withOwnWords(() => hooks[index]!(write))
    if (isPromise(pending)) return pending.then(() => runInTurn(hooks, write, index + 1))
  }
}

/** A new or changed item, before its hooks run. */
interface ItemDraft {
  readonly original: StoredValues
  readonly previous: StoredValues | undefined
  readonly payload: ItemPayload | undefined
}

/** The item as hooks see it. */
function readInstance(model: ModelDescription, item: StoredItem): StoredValues {
  return toCodeInstance(model, readStoredValues(model, item))
}

/** Hooks that follow may write. */
function withoutEnd<Options extends WriteOptions>(
  { after }: WriteSteps,
  options: Options | undefined,
): Options | undefined {
  return options?.isLast && after.length > 0 ? { ...options, isLast: false } : options
}
