import type { ManyRelation, ModelDescription, OwnedRelation } from '../model/model-description.ts'
import type { GroupPlan, ItemGroup } from '../query/group-plan.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../query/query-plan.ts'
import type { RawLineFormat } from '../stored-item/raw-lines.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { ReadFastPaths, Store } from './store.ts'
import type { CallerWrites, StoreCall } from './store-call.ts'
import type {
  RawJsonPage,
  RawJsonReader,
  RelatedStoredItem,
  StoredPage,
  StoreReader,
} from './store-reader.ts'
import type { EveryMember } from './wrap-store.ts'

/** Reads for a caller. */
export interface ReadAccess extends StoreReader {
  /** Default: none; the methods that every store has read everything. */
  readonly fastPaths?: ReadFastPaths | undefined
}

/** Wraps a store for one caller: all reads stop when the caller leaves. */
export function storeForCaller(store: Store, call: StoreCall): ReadAccess {
  return new CallerReader(store, call)
}

/** The object that all callers of a store share; locks are found by it. */
export function underlyingStore(access: ReadAccess): object {
  return access instanceof CallerReader ? access.store : access
}

/** With {@link StoreCall.mayChangeMany}. Its signal is still created only when it is read. */
export function allowManyChanges(call: StoreCall): StoreCall {
  return new CallForManyChanges(call)
}

class CallForManyChanges implements StoreCall {
  readonly mayChangeMany = true
  readonly caller: unknown
  readonly writes: CallerWrites | undefined
  readonly #call: StoreCall

  constructor(call: StoreCall) {
    this.writes = call.writes
    this.caller = call.caller
    this.#call = call
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  get isAborted(): boolean | undefined {
    return this.#call.isAborted
  }

  get now(): Date | undefined {
    return this.#call.now
  }

  get client(): string | undefined {
    return this.#call.client
  }

  get state(): StoreCall['state'] {
    return this.#call.state
  }
}

/** As {@link CallerReader}. */
class CallerRawJson implements EveryMember<RawJsonReader> {
  readonly #rawJson: RawJsonReader
  readonly #call: StoreCall

  constructor(rawJson: RawJsonReader, call: StoreCall) {
    this.#rawJson = rawJson
    this.#call = call
  }

  page(
    model: ModelDescription,
    plan: QueryPlan,
    linked: readonly OwnedRelation[],
    format: RawLineFormat,
  ): Promise<RawJsonPage | undefined> {
    return this.#rawJson.page(model, plan, linked, format, this.#call)
  }

  list(model: ModelDescription, plan: QueryPlan): AsyncIterable<Uint8Array> | undefined {
    return this.#rawJson.list(model, plan, this.#call)
  }
}

/** A class, because one object is created for each request and its methods are shared. */
export class CallerReader implements EveryMember<ReadAccess>, ReadFastPaths {
  readonly store: Store
  protected readonly call: StoreCall

  constructor(store: Store, call: StoreCall) {
    this.store = store
    this.call = call
  }

  /** The same object, so that a request creates no other one. */
  get fastPaths(): ReadFastPaths | undefined {
    return this.store.fastPaths && this
  }

  get findVersion(): ReadFastPaths['findVersion'] {
    const { fastPaths } = this.store
    return (
      fastPaths?.findVersion &&
      ((model, condition) => fastPaths.findVersion!(model, condition, this.call))
    )
  }

  get rawJson(): RawJsonReader | undefined {
    const rawJson = this.store.fastPaths?.rawJson
    return rawJson && new CallerRawJson(rawJson, this.call)
  }

  find(model: ModelDescription, condition: Condition): Promise<StoredItem | undefined> {
    return this.store.find(model, condition, this.call)
  }

  list(model: ModelDescription, plan: QueryPlan): AsyncIterable<readonly StoredItem[]> {
    return this.store.list(model, plan, this.call)
  }

  page(model: ModelDescription, plan: QueryPlan): Promise<StoredPage> {
    return this.store.page(model, plan, this.call)
  }

  count(model: ModelDescription, condition: Condition): Promise<number> {
    return this.store.count(model, condition, this.call)
  }

  groups(model: ModelDescription, plan: GroupPlan): Promise<readonly ItemGroup[]> {
    return this.store.groups(model, plan, this.call)
  }

  relatedPages(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
  ): AsyncIterable<readonly RelatedStoredItem[]> {
    return this.store.relatedPages(model, relation, owners, plan, this.call)
  }
}
