import { TimeSlice } from '../../concurrency/time-slice.ts'
import type {
  InverseField,
  ModelDescription,
  OwnedRelation,
} from '../../model/model-description.ts'
import { always, relatesToAny } from '../../query/conditions.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import type { ChangeEntry } from '../../store/change-log.ts'
import type { ItemSource } from '../../store/evaluation/item-source.ts'
import { maxIdsPerQuery } from '../../store/max-ids-per-query.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import type { FollowingChanges } from './following-changes.ts'
import { idsIn } from './ids-in.ts'
import { LogWindow, type PastChange } from './log-window.ts'

/** Each relation of each path needs one more round. */
const maxRounds = 1_000

/** To find out whether a change matters to some items, at most so many of them are read. */
const maxRelating = 1_000

/** Items as they were before one change of the log. */
export interface PastSource extends ItemSource {
  /** The items whose relation holds this id, if they are few enough to be asked one by one. */
  itemsRelating(
    owner: ModelDescription,
    relation: OwnedRelation,
    id: string,
  ): readonly StoredValues[]
}

export interface PastParts {
  /** Reads whole items, because conditions see hidden members. */
  readonly reader: StoreReader
  readonly call: StoreCall
  /** The changes about whose states something is asked. */
  readonly entries: readonly ChangeEntry[]
  /** All changes after them until now; undefined if they cannot be read, or are too many. */
  readFollowing(): Promise<FollowingChanges | undefined>
}

/**
 * Items as they were between changes: as they are now, without what the log says of them since. So
 * what was decided about a list does not depend on when its changes are read.
 */
export class PastStates {
  readonly #parts: PastParts
  readonly #items = new Map<ModelDescription, Map<string, StoredValues | undefined>>()
  readonly #relating = new Map<OwnedRelation, Map<string, readonly StoredValues[]>>()
  readonly #bounded = new Set<OwnedRelation>()
  readonly #owners = new Map<OwnedRelation, ModelDescription>()
  readonly #values = new WeakMap<StoredItem, StoredValues>()
  /** The changes about whose states something is asked. */
  readonly #own: LogWindow
  #missingItems = new Map<ModelDescription, Set<string>>()
  #missingRelating = new Map<OwnedRelation, { owner: ModelDescription; ids: Set<string> }>()
  #following: FollowingChanges | undefined

  constructor(parts: PastParts) {
    this.#parts = parts
    this.#own = new LogWindow(parts.entries)
  }

  /**
   * Decides, and again with what the store has of the items that were asked for.
   * @param decide gets items as they were before the change with this index
   * @returns undefined if the states cannot be known
   */
  async settle<T>(
    decide: (before: (index: number) => PastSource) => Promise<T>,
  ): Promise<T | undefined> {
    let isBehind = false
    for (let round = 0; round < maxRounds; round++) {
      const decided = await decide((index) => this.#before(index))
      if (this.#missingItems.size + this.#missingRelating.size > 0) {
        if (!(await this.#load())) return undefined
        isBehind = true
      } else if (!isBehind) return decided
      else {
        // Read after the items: what has changed them meanwhile is in it.
        const following = await this.#parts.readFollowing()
        if (!following) return undefined
        if (following.count === (this.#following?.count ?? 0)) return decided
        await this.#prepare(following)
        this.#following = following
        isBehind = false
      }
    }
    throw new Error('Conditions of a list lead to related items without an end.')
  }

  #before(index: number): PastSource {
    const next = (model: string, id: string) =>
      this.#own.next(model, id, index) ?? this.#following?.next(model, id)
    const itemsRelating = (owner: ModelDescription, relation: OwnedRelation, id: string) => {
      const current = this.#relatingNow(owner, relation, id).filter(
        (values) => next(owner.name, values.id) === undefined,
      )
      const changed = this.#changesHolding(owner, relation, id, index).filter(
        (change) => next(owner.name, change.id) === change,
      )
      return [...current, ...changed.map(({ before }) => this.valuesOf(owner, before!))]
    }
    return {
      get: (model, id) => {
        const change = next(model.name, id)
        if (!change) return this.#now(model, id)
        return change.before === null ? undefined : this.valuesOf(model, change.before)
      },
      itemsReferencing: ({ relatedModel, inverseOf }: InverseField, id) =>
        itemsRelating(relatedModel, inverseOf, id),
      itemsRelating: (owner, relation, id) => {
        this.#bounded.add(relation)
        return itemsRelating(owner, relation, id)
      },
    }
  }

  #changesHolding(
    owner: ModelDescription,
    relation: OwnedRelation,
    id: string,
    index: number,
  ): readonly PastChange[] {
    const own = this.#own.holding(owner, relation, id, [index, this.#own.count])
    return [...own, ...(this.#following?.holding(owner, relation, id) ?? [])]
  }

  /** So that the event loop is not held up by a long log. */
  async #prepare(following: FollowingChanges): Promise<void> {
    const slice = new TimeSlice(this.#parts.call)
    for (const [relation, owner] of this.#owners) await following.prepare(owner, relation, slice)
  }

  valuesOf(model: ModelDescription, item: StoredItem): StoredValues {
    const known = this.#values.get(item)
    if (known) return known
    const values = readStoredValues(model, item)
    this.#values.set(item, values)
    return values
  }

  #now(model: ModelDescription, id: string): StoredValues | undefined {
    const known = this.#items.get(model)
    if (known?.has(id)) return known.get(id)
    const missing = this.#missingItems.get(model) ?? new Set()
    this.#missingItems.set(model, missing.add(id))
    return undefined
  }

  #relatingNow(owner: ModelDescription, relation: OwnedRelation, id: string) {
    const known = this.#relating.get(relation)?.get(id)
    if (known) return known
    const missing = this.#missingRelating.get(relation) ?? { owner, ids: new Set() }
    missing.ids.add(id)
    this.#missingRelating.set(relation, missing)
    return []
  }

  /** @returns whether they are few enough */
  async #load(): Promise<boolean> {
    const [items, relating] = [this.#missingItems, this.#missingRelating]
    this.#missingItems = new Map()
    this.#missingRelating = new Map()
    for (const [model, ids] of items) await this.#loadItems(model, ids)
    for (const [relation, { owner, ids }] of relating)
      if (!(await this.#loadRelating(owner, relation, [...ids]))) return false
    return true
  }

  async #loadItems(model: ModelDescription, ids: ReadonlySet<string>): Promise<void> {
    const known = this.#items.get(model) ?? new Map<string, StoredValues | undefined>()
    this.#items.set(model, known)
    for (const id of ids) known.set(id, undefined)
    for await (const batch of fetchByIds(this.#parts.reader, model, [...ids], always))
      for (const item of batch) known.set(item.id, readStoredValues(model, item))
  }

  async #loadRelating(
    owner: ModelDescription,
    relation: OwnedRelation,
    ids: readonly string[],
  ): Promise<boolean> {
    const { reader, call } = this.#parts
    this.#owners.set(relation, owner)
    const known = this.#relating.get(relation) ?? new Map<string, StoredValues[]>()
    this.#relating.set(relation, known)
    const relating = new Map<string, StoredValues[]>(ids.map((id) => [id, []]))
    let count = 0
    for (let start = 0; start < ids.length; start += maxIdsPerQuery) {
      const some = ids.slice(start, start + maxIdsPerQuery)
      const plan = { ...allItemsPlan, condition: relatesToAny(relation.name, relation.kind, some) }
      for await (const batch of reader.list(owner, plan, call)) {
        count += batch.length
        if (count > maxRelating && this.#bounded.has(relation)) return false
        for (const item of batch) {
          const values = readStoredValues(owner, item)
          for (const id of new Set(idsIn(values, relation))) relating.get(id)?.push(values)
        }
      }
    }
    for (const [id, items] of relating) known.set(id, items)
    return true
  }
}
