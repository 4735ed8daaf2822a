import { isPromise } from '../../concurrency/is-promise.ts'
import { chain, type MaybePromise } from '../../concurrency/maybe-promise.ts'
import { withOwnWords } from '../../context/code-error.ts'
import type { BeforeWrite, CommittedWrite, WriteCause } from '../../context/write-hooks.ts'
import { ApiError, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import type { ItemsOf } from '../../model/items/items.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { ItemChange, ItemDraft, WriteObserver } from '../../store/write-observer.ts'
import { toCodeInstance } from '../../stored-item/code-instance.ts'
import { copyValues, valuesToStore } from '../../stored-item/copy-values.ts'
import { hasSameContent, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { withDerivedValues, withDerivedValuesOfChange } from '../../stored-item/derived-values.ts'
import { withRollupsForComparison } from '../../stored-item/rollup-values.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { withTimesOf } from '../../stored-item/timestamps.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import type { WriteSource } from '../unit-of-work/write-source.ts'
import { validationErrors } from '../validations.ts'
import {
  immutableItemErrors,
  refuseImmutableChange,
  refuseImmutableRemoval,
} from '../write/immutable-item.ts'
import { immutableMemberErrors, refuseImmutableMembers } from '../write/immutable-members.ts'
import { memberProblemErrors, violatedItemRule } from '../write/member-problems.ts'
import type { WithItems } from './code-runner.ts'
import { type CommitCallServices, CommitCalls } from './commit-calls.ts'
import { completeDraft, completeDraftErrors } from './complete-draft.ts'
import { hookDraft } from './hook-draft.ts'
import type { WriteSteps, WriteStepsByModel } from './write-steps.ts'

export const writeHookErrors: readonly ErrorCode[] = [
  ...memberProblemErrors,
  ...immutableItemErrors,
  ...immutableMemberErrors,
  ...validationErrors,
  ...completeDraftErrors,
]

/** What hooks around writes need, for all requests of a router. */
export interface WriteHookServices {
  readonly steps: WriteStepsByModel
  readonly withItems: WithItems
  readonly commitCalls: CommitCallServices
}

/** Runs the hooks around the writes of a transaction, and the checks of whole items. */
export class HookObserver implements WriteObserver<UnitOfWork> {
  readonly watched: WriteStepsByModel
  readonly #services: WriteHookServices
  #calls: CommitCalls | undefined

  constructor(services: WriteHookServices) {
    this.#services = services
    this.watched = services.steps
  }

  prepare(unit: UnitOfWork, draft: ItemDraft): MaybePromise<StoredValues | undefined> {
    const { model } = draft
    const steps = this.#services.steps.get(model)!
    switch (draft.kind) {
      case 'create':
        return this.#complete(unit, steps, model, valuesToStore(model, draft.values), undefined)
      case 'update':
        return this.#prepareUpdate(unit, steps, draft)
      case 'delete':
        return this.#prepareRemoval(unit, steps, draft)
    }
  }

  afterWrite(unit: UnitOfWork, change: ItemChange): MaybePromise<void> {
    const steps = this.#services.steps.get(change.model)
    if (!steps || (steps.after.length === 0 && steps.afterCommit.length === 0)) return
    const done = committedWrite(change, sourceOf(unit).cause)
    const hooks = this.#runHooks(unit, steps.after, (items) => ({ ...done, items }))
    return chain(hooks, () => this.#runAfterCommit(steps.afterCommit, done))
  }

  /** Hooks that follow may write. */
  isFollowed({ model }: ItemChange): boolean {
    const steps = this.#services.steps.get(model)
    return steps !== undefined && steps.after.length > 0
  }

  /** The transaction is durable: runs the hooks that wait for it. */
  committed(): Promise<void> | undefined {
    return this.#calls?.run()
  }

  async #prepareUpdate(
    unit: UnitOfWork,
    steps: WriteSteps,
    { model, values, before }: Extract<ItemDraft, { kind: 'update' }>,
  ): Promise<StoredValues | undefined> {
    const previous = readStoredValues(model, before)
    refuseImmutableChange(model, previous, values, payloadOf(unit, model, values.id, false))
    const completed = await this.#complete(unit, steps, model, values, previous)
    refuseOwnChange(unit, model, before)
    return completed
  }

  async #prepareRemoval(
    unit: UnitOfWork,
    steps: WriteSteps,
    { model, before }: Extract<ItemDraft, { kind: 'delete' }>,
  ): Promise<undefined> {
    refuseImmutableRemoval(model, readStoredValues(model, before))
    const { cause } = sourceOf(unit)
    const previous = readInstance(model, before)
    await this.#runHooks(
      unit,
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
    refuseOwnChange(unit, model, before)
  }

  /** Runs the hooks before a write, and checks the whole item. Undefined if no hook changes it. */
  #complete(
    unit: UnitOfWork,
    steps: WriteSteps,
    model: ModelDescription,
    original: StoredValues,
    previous: StoredValues | undefined,
  ): MaybePromise<StoredValues | undefined> {
    const payload = payloadOf(unit, model, original.id, previous === undefined)
    const derive = (values: StoredValues) =>
      previous
        ? withDerivedValuesOfChange(model, values, () => previous)
        : withDerivedValues(model, values)
    const checked = (changed: StoredValues | undefined) => {
      const completed = changed && derive(withTimesOf(model, changed, original))
      checkItem(model, completed ?? original, previous, payload)
      return completed
    }
    return steps.before.length === 0
      ? checked(undefined)
      : chain(this.#runBefore(unit, steps, model, { original, previous, payload }), checked)
  }

  #runBefore(
    unit: UnitOfWork,
    steps: WriteSteps,
    model: ModelDescription,
    { original, previous: previousValues, payload }: HookedItem,
  ): MaybePromise<StoredValues | undefined> {
    const draft = hookDraft(model, copyValues(original))
    const next = draft.item
    const previous = previousValues && toCodeInstance(model, copyValues(previousValues))
    const { cause, validations } = sourceOf(unit)
    const refuse = (path: string, message: string) => {
      throw new ApiError([violatedItemRule(model, path, message, payload)])
    }
    const hooks = this.#runHooks(
      unit,
      steps.before,
      (items): BeforeWrite<unknown> =>
        previous
          ? { kind: 'update', next, previous, cause, items, refuse }
          : { kind: 'create', next, previous, cause, items, refuse },
    )
    return chain(hooks, () =>
      completeDraft({ reader: unit, validations, payload }, model, original, draft.members()),
    )
  }

  /** Returns a promise only if a hook does. */
  #runHooks<Write>(
    unit: UnitOfWork,
    hooks: readonly Hook<Write>[],
    writeWith: (items: ItemsOf) => Write,
  ): MaybePromise<void> {
    if (hooks.length > 0)
      return this.#services.withItems(unit, sourceOf(unit), (items) =>
        runInTurn(hooks, writeWith(items)),
      )
  }

  #runAfterCommit(hooks: WriteSteps['afterCommit'], write: CommittedWrite<unknown>): void {
    if (hooks.length === 0) return
    this.#calls ??= new CommitCalls(this.#services.commitCalls)
    this.#calls.add(hooks, write)
  }
}

/** What the writes of the operation have in common. Items are loaded without hooks. */
function sourceOf({ source }: UnitOfWork): WriteSource {
  if (source) return source
  throw new Error('Hooks run around writes of an operation only.')
}

/** @throws ApiError with all problems */
function checkItem(
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

/** @throws TypeError if a hook has written the item that it decides about */
function refuseOwnChange(unit: UnitOfWork, model: ModelDescription, before: StoredItem): void {
  const current = unit.known(model, before.id)
  if (current && hasSameContent(withRollupsForComparison(model, current, before), before)) return
  throw new TypeError(
    `A hook before a write of '${model.name}' changed or deleted the same item. Set members of 'next' instead.`,
  )
}

/** What the client sent for this item. */
function payloadOf(
  unit: UnitOfWork,
  model: ModelDescription,
  id: string,
  isNew: boolean,
): ItemPayload | undefined {
  const { sentItem } = sourceOf(unit)
  if (sentItem?.model !== model) return undefined
  return (isNew && sentItem.id === undefined) || sentItem.id === id ? sentItem.payload : undefined
}

function committedWrite(
  { kind, model, before, after }: ItemChange,
  cause: WriteCause,
): CommittedWrite<unknown> {
  switch (kind) {
    case 'create':
      return { kind, item: readInstance(model, after), previous: undefined, cause }
    case 'update':
      return {
        kind,
        item: readInstance(model, after),
        previous: readInstance(model, before!),
        cause,
      }
    case 'delete':
      return { kind, item: undefined, previous: readInstance(model, before!), cause }
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
interface HookedItem {
  readonly original: StoredValues
  readonly previous: StoredValues | undefined
  readonly payload: ItemPayload | undefined
}

/** The item as hooks see it. */
function readInstance(model: ModelDescription, item: StoredItem): StoredValues {
  return toCodeInstance(model, readStoredValues(model, item))
}
