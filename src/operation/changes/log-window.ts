import type { TimeSlice } from '../../concurrency/time-slice.ts'
import type { ModelDescription, OwnedRelation } from '../../model/model-description.ts'
import type { ErasedChange, LoggedChange } from '../../store/change-log.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { idsIn } from './ids-in.ts'

/** What a change of an item says of the time before it. */
export type PastChange = Pick<LoggedChange, 'kind' | 'model' | 'id' | 'before'>

export type PastOrErased = PastChange | Pick<ErasedChange, 'kind' | 'model'>

/** Changes whose items hold an id before them, by this id. */
interface RelationIndex {
  /** So many of the changes are in it. */
  count: number
  readonly byId: Map<string, number[]>
}

/** Changes that follow each other in the log, by the items that they change. */
export class LogWindow {
  readonly #changes: PastOrErased[] = []
  /** The indexes of the changes of each item of each model. */
  readonly #byItem = new Map<string, Map<string, number[]>>()
  readonly #byRelation = new Map<OwnedRelation, RelationIndex>()
  /** The index of the last change of each model that is erased. */
  readonly #erased = new Map<string, number>()

  constructor(changes: Iterable<PastOrErased> = []) {
    for (const change of changes) this.add(change)
  }

  get count(): number {
    return this.#changes.length
  }

  /** The changes from this index on. */
  since(index: number): readonly PastOrErased[] {
    return this.#changes.slice(index)
  }

  add(change: PastOrErased): void {
    const index = this.#changes.push(change) - 1
    if (change.kind === 'erased') {
      this.#erased.set(change.model, index)
      return
    }
    const ofModel = this.#byItem.get(change.model) ?? new Map<string, number[]>()
    this.#byItem.set(change.model, ofModel)
    const ofItem = ofModel.get(change.id)
    if (ofItem) ofItem.push(index)
    else ofModel.set(change.id, [index])
  }

  /** The first change of the item from one index on and before the other. */
  next(model: string, id: string, from: number, end: number = this.count): PastChange | undefined {
    const indexes = this.#byItem.get(model)?.get(id)
    if (!indexes) return undefined
    const next = indexes[firstFrom(indexes, from)]
    return next === undefined || next >= end ? undefined : (this.#changes[next] as PastChange)
  }

  /** The changes there of items whose relation holds the id before them. */
  holding(
    owner: ModelDescription,
    relation: OwnedRelation,
    id: string,
    [from, end]: readonly [from: number, end: number],
  ): readonly PastChange[] {
    const index = this.#indexOf(relation)
    while (index.count < end) this.#addNext(owner, relation, index)
    const indexes = index.byId.get(id) ?? []
    return indexes
      .slice(firstFrom(indexes, from), firstFrom(indexes, end))
      .map((each) => this.#changes[each] as PastChange)
  }

  /** Does the work of {@link holding} before, in slices of time. */
  async prepare(owner: ModelDescription, relation: OwnedRelation, slice: TimeSlice): Promise<void> {
    const index = this.#indexOf(relation)
    while (index.count < this.count) {
      this.#addNext(owner, relation, index)
      if (slice.isOver) await slice.yieldToEventLoop()
    }
  }

  /** Is a change of the model erased, from this index on? */
  hasErased(model: string, from: number): boolean {
    return (this.#erased.get(model) ?? -1) >= from
  }

  #indexOf(relation: OwnedRelation): RelationIndex {
    const index = this.#byRelation.get(relation) ?? { count: 0, byId: new Map() }
    this.#byRelation.set(relation, index)
    return index
  }

  #addNext(owner: ModelDescription, relation: OwnedRelation, index: RelationIndex): void {
    const number = index.count++
    const change = this.#changes[number]!
    if (change.kind === 'erased' || change.model !== owner.name || !change.before) return
    for (const id of new Set(idsIn(readStoredValues(owner, change.before), relation))) {
      const numbers = index.byId.get(id)
      if (numbers) numbers.push(number)
      else index.byId.set(id, [number])
    }
  }
}

/** Where the numbers begin that are not less, in ascending ones. */
function firstFrom(numbers: readonly number[], from: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < from) low = middle + 1
    else high = middle
  }
  return low
}
