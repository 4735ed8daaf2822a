import { ApiError, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import type { BeforeWrite } from '../../items/write-hooks.ts'
import type { ItemsOf } from '../../model/items/items.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type {
  InsertOptions,
  StoreTransaction,
  WriteOptions,
  WriteOutcome,
} from '../../store/store.ts'
import { TransactionWrapper } from '../../store/wrap-store.ts'
import { toCodeValues } from '../../stored-item/code-values.ts'
import {
  createStoredItem,
  hasSameContent,
  readStoredValues,
} from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { withTimesOf } from '../../stored-item/timestamps.ts'
import { validationErrors } from '../validations.ts'
import { immutableMember, memberProblemErrors, violatedItemRule } from '../write/member-problems.ts'
import { completeDraft, completeDraftErrors } from './complete-draft.ts'
import type { WriteAttempt, WriteSource } from './write-attempt.ts'
import type { WriteSteps } from './write-steps.ts'

export const writeHookErrors: readonly ErrorCode[] = [
  ...memberProblemErrors,
  ...validationErrors,
  ...completeDraftErrors,
]

/**
 * Runs the hooks around the writes of a transaction, and the checks of whole items. Every change of
 * an item passes here, whatever causes it.
 */
export class HookedTransaction extends TransactionWrapper {
  readonly #attempt: WriteAttempt
  readonly #source: WriteSource
  readonly #readItems: ReadItems

  constructor(
    inner: StoreTransaction,
    attempt: WriteAttempt,
    source: WriteSource,
    readItems: ReadItems = new Map(),
  ) {
    super(inner)
    this.#attempt = attempt
    this.#source = source
    this.#readItems = readItems
  }

  /** The same transaction for another operation, which has the same cause. */
  withSource(source: WriteSource): HookedTransaction {
    const { cause } = this.#source
    return new HookedTransaction(this.inner, this.#attempt, { ...source, cause }, this.#readItems)
  }

  /** The same transaction over another one, which passes on to that below. */
  over(wrap: (inner: StoreTransaction) => StoreTransaction): HookedTransaction {
    return new HookedTransaction(wrap(this.inner), this.#attempt, this.#source, this.#readItems)
  }

  override async find(
    model: ModelDescription,
    condition: Condition,
  ): Promise<StoredItem | undefined> {
    const item = await this.inner.find(model, condition)
    if (item) this.#remember(model, [item])
    return item
  }

  override async *list(
    model: ModelDescription,
    plan: QueryPlan,
  ): AsyncGenerator<readonly StoredItem[]> {
    for await (const batch of this.inner.list(model, plan)) {
      this.#remember(model, batch)
      yield batch
    }
  }

  override async insert(
    model: ModelDescription,
    item: StoredItem,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    const steps = this.#attempt.steps.get(model)
    if (!steps) return this.inner.insert(model, item, options)
    const next = await this.#prepare(steps, model, item, undefined)
    const outcome = await this.inner.insert(model, next, withoutEnd(steps, options))
    await this.#finish(steps, model, outcome, undefined)
    return outcome
  }

  override async replace(
    model: ModelDescription,
    item: StoredItem,
    options?: WriteOptions,
  ): Promise<WriteOutcome> {
    const steps = this.#attempt.steps.get(model)
    if (!steps) return this.inner.replace(model, item, options)
    const previous = await this.#previous(model, item.id)
    // A store reports what is not there.
    if (!previous) return this.inner.replace(model, item, options)
    const next = await this.#prepare(steps, model, item, previous)
    this.#refuseOwnChange(model, previous)
    const outcome = await this.inner.replace(model, next, withoutEnd(steps, options))
    await this.#finish(steps, model, outcome, previous)
    return outcome
  }

  override async remove(model: ModelDescription, id: string): Promise<void> {
    const steps = this.#attempt.steps.get(model)
    const item = steps && (await this.#previous(model, id))
    if (!item) return this.inner.remove(model, id)
    const { cause } = this.#source
    const previous = readCodeValues(model, item)
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
    this.#readItems.get(model)?.delete(id)
    const done = { kind: 'delete', item: undefined, previous, cause } as const
    await this.#runHooks(steps.after, (items) => ({ ...done, items }))
    this.#attempt.runAfterCommit(steps.afterCommit, done)
  }

  /** The item as hooks leave it, checked as a whole. */
  async #prepare(
    steps: WriteSteps,
    model: ModelDescription,
    item: StoredItem,
    previousItem: StoredItem | undefined,
  ): Promise<StoredItem> {
    const payload = this.#payloadOf(model, item.id, previousItem === undefined)
    const original = readStoredValues(model, item)
    const previous = previousItem && readStoredValues(model, previousItem)
    const completed =
      steps.before.length === 0
        ? undefined
        : await this.#runBefore(steps, model, { item, original, previous, payload })
    const values = completed ? withTimesOf(model, completed, original) : original
    this.#check(model, values, previous, payload)
    return completed ? createStoredItem(model, values, item.revision) : item
  }

  async #runBefore(
    steps: WriteSteps,
    model: ModelDescription,
    { item, original, previous: previousValues, payload }: ItemDraft,
  ): Promise<StoredValues | undefined> {
    // Parsed again, because hooks may change nested values in place.
    const next: StoredValues = readCodeValues(model, item)
    const previous = previousValues && toCodeValues(model, previousValues)
    Object.defineProperty(next, 'id', { value: next.id, enumerable: true })
    const { cause, validations } = this.#source
    const refuse = (path: string, message: string) => {
      throw new ApiError([violatedItemRule(model, path, message, payload)])
    }
    await this.#runHooks(
      steps.before,
      (items): BeforeWrite<unknown> =>
        previous
          ? { kind: 'update', next, previous, cause, items, refuse }
          : { kind: 'create', next, previous, cause, items, refuse },
    )
    return completeDraft({ reader: this, validations, payload }, model, original, next)
  }

  /** @throws ApiError with all problems */
  #check(
    model: ModelDescription,
    values: StoredValues,
    previous: StoredValues | undefined,
    payload: ItemPayload | undefined,
  ): void {
    const problems: Problem[] = []
    for (const { name } of previous ? model.immutableFields : []) {
      const before = previous![name]
      if (before === null || before === undefined || isEqual(before, values[name])) continue
      problems.push(immutableMember(model, name, payload))
    }
    refuseAll(problems)
    model.check?.(toCodeValues(model, values), (path, message) =>
      problems.push(violatedItemRule(model, String(path), message, payload)),
    )
    refuseAll(problems)
  }

  async #finish(
    steps: WriteSteps,
    model: ModelDescription,
    outcome: WriteOutcome,
    previousItem: StoredItem | undefined,
  ): Promise<void> {
    if (outcome.kind !== 'written') return
    this.#remember(model, [outcome.item])
    if (steps.after.length === 0 && steps.afterCommit.length === 0) return
    const item = readCodeValues(model, outcome.item)
    const { cause } = this.#source
    const done = previousItem
      ? ({ kind: 'update', item, previous: readCodeValues(model, previousItem), cause } as const)
      : ({ kind: 'create', item, previous: undefined, cause } as const)
    await this.#runHooks(steps.after, (items) => ({ ...done, items }))
    this.#attempt.runAfterCommit(steps.afterCommit, done)
  }

  async #runHooks<Write>(
    hooks: readonly ((write: Write) => void | Promise<void>)[],
    writeWith: (items: ItemsOf) => Write,
  ): Promise<void> {
    if (hooks.length === 0) return
    await this.#attempt.withItems(this, this.#source, async (items) => {
      const write = writeWith(items)
      for (const hook of hooks) await hook(write)
    })
  }

  #remember(model: ModelDescription, items: readonly StoredItem[]): void {
    if (!this.#attempt.steps.has(model)) return
    const byId = this.#readItems.get(model) ?? new Map<string, StoredItem>()
    this.#readItems.set(model, byId)
    for (const item of items) byId.set(item.id, item)
  }

  async #previous(model: ModelDescription, id: string): Promise<StoredItem | undefined> {
    return this.#readItems.get(model)?.get(id) ?? this.find(model, idEquals(id))
  }

  /** @throws TypeError if a hook has written the item that it decides about */
  #refuseOwnChange(model: ModelDescription, before: StoredItem): void {
    const current = this.#readItems.get(model)?.get(before.id)
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

/** Items with hooks that were read, so that a write need not read them again. */
type ReadItems = Map<ModelDescription, Map<string, StoredItem>>

/** A new or changed item, before its hooks run. */
interface ItemDraft {
  readonly item: StoredItem
  readonly original: StoredValues
  readonly previous: StoredValues | undefined
  readonly payload: ItemPayload | undefined
}

/** The values as hooks see them. */
function readCodeValues(model: ModelDescription, item: StoredItem): StoredValues {
  return toCodeValues(model, readStoredValues(model, item))
}

/** Hooks that follow may write. */
function withoutEnd<Options extends WriteOptions>(
  { after }: WriteSteps,
  options: Options | undefined,
): Options | undefined {
  return options?.isLast && after.length > 0 ? { ...options, isLast: false } : options
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
