import type { TimeSlice } from '../../concurrency/time-slice.ts'
import type { ModelDescription, OwnedRelation } from '../../model/model-description.ts'
import type { LogWindow, PastChange } from './log-window.ts'

/** What the log has after a position, until it was read. */
export class FollowingChanges {
  readonly #ordered: LogWindow
  readonly #from: number
  readonly #end: number
  readonly #unordered: LogWindow

  /**
   * @param ordered those before which nothing can be committed any more, from an index on
   * @param unordered the others, in which only the changes of one item are in order
   */
  constructor(ordered: LogWindow, from: number, unordered: LogWindow) {
    this.#ordered = ordered
    this.#from = from
    this.#end = ordered.count
    this.#unordered = unordered
  }

  /** More than before, where the log has grown. */
  get count(): number {
    return this.#end - this.#from + this.#unordered.count
  }

  /** The first change of the item. */
  next(model: string, id: string): PastChange | undefined {
    return (
      this.#ordered.next(model, id, this.#from, this.#end) ?? this.#unordered.next(model, id, 0)
    )
  }

  /** The changes of items whose relation holds the id before them. */
  holding(owner: ModelDescription, relation: OwnedRelation, id: string): readonly PastChange[] {
    return [
      ...this.#ordered.holding(owner, relation, id, [this.#from, this.#end]),
      ...this.#unordered.holding(owner, relation, id, [0, this.#unordered.count]),
    ]
  }

  /** Does the work of {@link holding} before, in slices of time. */
  async prepare(owner: ModelDescription, relation: OwnedRelation, slice: TimeSlice): Promise<void> {
    await this.#ordered.prepare(owner, relation, slice)
    await this.#unordered.prepare(owner, relation, slice)
  }

  /** Is a change of one of the models erased? */
  hasErased(models: readonly string[]): boolean {
    return models.some(
      (model) => this.#ordered.hasErased(model, this.#from) || this.#unordered.hasErased(model, 0),
    )
  }
}
